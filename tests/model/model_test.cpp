#include "model/model.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "model/slots.h"
#include "tests/model/reference.h"

namespace swizzleperf {
namespace {

// A small chiplet GPU, so that capacities matter at sizes the reference can afford.
GpuSpec small_gpu() {
  GpuSpec gpu;
  gpu.domains = 3;
  gpu.cus_per_domain = 4;
  gpu.l1 = {.bytes = 16 * 128};
  gpu.l2 = {.bytes = 64 * 128, .line_bytes = 128, .channels = 4, .channel_interleave_bytes = 256};
  gpu.llc = {.bytes = 300 * 128};
  gpu.load_request_bytes = 128;
  gpu.store_request_bytes = 64;
  gpu.dram_bytes_per_second = 1e12;
  return gpu;
}

Order identity(int64_t size) {
  Order order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// C[M,N] = A * B on a grid of tiles: the lines of a row of tiles of A, of a column of B, and the tile of C.
Workload gemm(int64_t tile_rows, int64_t tile_columns, int64_t steps, int64_t pitch_bytes) {
  Workload w;
  w.grid = {tile_columns, tile_rows};
  w.occupancy = 2;
  w.arrays = {
      {"a", tile_rows * 8 * pitch_bytes, 2}, {"b", steps * 4 * pitch_bytes, 2}, {"c", tile_rows * 8 * pitch_bytes, 2}};
  Pattern a, b, c;
  for (int64_t row = 0; row < 8; ++row) a.segments.push_back({row * pitch_bytes, 64, 1});
  for (int64_t row = 0; row < 4; ++row) b.segments.push_back({row * pitch_bytes, 256, 2});
  for (int64_t row = 0; row < 8; ++row) c.segments.push_back({row * pitch_bytes, 256, 1});
  w.patterns = {a, b, c};
  w.tile_begin = {0};
  w.phase_begin = {0};
  for (int64_t tile = 0; tile < w.grid.size(); ++tile) {
    const Coordinate at = coordinate(w.grid, tile);
    for (int64_t step = 0; step < steps; ++step) {
      w.accesses.push_back({at.y * 8 * pitch_bytes + step * 64, 0, 0, AccessKind::kLoad});
      w.accesses.push_back({step * 4 * pitch_bytes + at.x * 256, 1, 1, AccessKind::kLoad});
      w.phase_begin.push_back(static_cast<int64_t>(w.accesses.size()));
    }
    w.accesses.push_back({at.y * 8 * pitch_bytes + at.x * 256, 2, 2, AccessKind::kStore});
    w.phase_begin.push_back(static_cast<int64_t>(w.accesses.size()));
    w.tile_begin.push_back(static_cast<int64_t>(w.phase_begin.size()) - 1);
  }
  return w;
}

void expect_equal_to_reference(const Workload& workload, const GpuSpec& gpu, const Order& order) {
  const Prediction fast = Model::create(workload, gpu)->predict(order);
  const ReferenceCounts slow = simulate_reference(workload, gpu, order);
  int64_t requests = 0, hits = 0;
  for (const auto& domain : fast.domains) {
    requests += domain.requests;
    hits += domain.hits;
  }
  EXPECT_EQ(requests, slow.requests);
  EXPECT_EQ(hits, slow.hits);
  EXPECT_EQ(fast.dram_read_bytes, slow.dram_read_bytes);
  EXPECT_EQ(fast.dram_write_bytes, slow.dram_write_bytes);
}

TEST(Model, StreamsHitOnlyInTheSecondHalfOfAStoredLine) {
  // One load and one store of whole lines: W / (R + 2 W) = 33.3 %, as counters show on an MI300X.
  Workload w;
  w.grid = {64};
  w.arrays = {{"in", 64 * 1024, 4}, {"out", 64 * 1024, 4}};
  w.patterns = {{{{0, 1024, 1}}}};
  w.tile_begin = {0};
  w.phase_begin = {0};
  for (int64_t tile = 0; tile < 64; ++tile) {
    w.accesses.push_back({tile * 1024, 0, 0, AccessKind::kLoad});
    w.phase_begin.push_back(static_cast<int64_t>(w.accesses.size()));
    w.accesses.push_back({tile * 1024, 0, 1, AccessKind::kStore});
    w.phase_begin.push_back(static_cast<int64_t>(w.accesses.size()));
    w.tile_begin.push_back(static_cast<int64_t>(w.phase_begin.size()) - 1);
  }
  const Model model = Model::create(w, small_gpu()).value();
  const Prediction p = model.predict(identity(64));
  EXPECT_DOUBLE_EQ(p.l2_hit_rate, 1.0 / 3);
  EXPECT_DOUBLE_EQ(p.ceiling, 1.0 / 3);
  EXPECT_EQ(p.dram_read_bytes, 64 * 1024);
  EXPECT_EQ(p.dram_write_bytes, 64 * 1024);
}

TEST(Model, ObjectsEqualLinesOnAGemmWithAnyPitch) {
  // A power of two camps on one channel, an odd multiple of the line spreads: both must come out exactly.
  for (const int64_t pitch : {2048, 2048 + 128, 4096}) {
    const Workload w = gemm(6, 8, 5, pitch);
    expect_equal_to_reference(w, small_gpu(), identity(w.grid.size()));
    Order reversed = identity(w.grid.size());
    std::reverse(reversed.begin(), reversed.end());
    expect_equal_to_reference(w, small_gpu(), reversed);
  }
}

TEST(Model, FollowsMapsThatAreNoBijections) {
  const Workload w = gemm(4, 4, 3, 2048);
  Order order = identity(w.grid.size());
  for (size_t i = 0; i < order.size(); i += 3) order[i] = -1;
  for (size_t i = 1; i < order.size(); i += 3) order[i] = 5;
  expect_equal_to_reference(w, small_gpu(), order);
}

TEST(Model, TheCeilingIsNeverExceeded) {
  const Workload w = gemm(6, 8, 5, 2048);
  const Model model = Model::create(w, small_gpu()).value();
  Order order = identity(w.grid.size());
  for (int i = 0; i < 20; ++i) {
    std::next_permutation(order.begin(), order.end());
    EXPECT_LE(model.predict(order).l2_hit_rate, model.ceiling() + 1e-12);
  }
}

TEST(Model, TheBusiestDomainShowsInTheBalance) {
  const Workload w = gemm(3, 4, 2, 2048);
  Order order = identity(w.grid.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i % 3 != 0) order[i] = -1;  // only domain 0 works
  }
  EXPECT_NEAR(Model::create(w, small_gpu())->predict(order).balance, 1.0 / 3, 1e-9);
}

// `tiles` workgroups of which each writes 64 B; pairs of them write the two halves of a line.
Workload half_line_stores(int64_t tiles) {
  Workload w;
  w.grid = {tiles};
  w.arrays = {{"out", tiles * 64, 4}};
  w.patterns = {{{{0, 64, 1}}}};
  w.tile_begin = {0};
  w.phase_begin = {0};
  for (int64_t tile = 0; tile < tiles; ++tile) {
    w.accesses.push_back({tile * 64, 0, 0, AccessKind::kStore});
    w.phase_begin.push_back(tile + 1);
    w.tile_begin.push_back(tile + 1);
  }
  return w;
}

TEST(Model, HalvesOfALineThatTwoDomainsWriteAreWrittenBackOnceEach) {
  const Workload w = half_line_stores(96);
  const Order apart = identity(96);  // neighbours in different domains
  expect_equal_to_reference(w, small_gpu(), apart);
  EXPECT_EQ(Model::create(w, small_gpu())->predict(apart).dram_write_bytes, 96 * 64);
  Order together = identity(96);  // both halves in one domain: no more and no less is written
  for (size_t i = 0; i < 96; ++i) together[i] = static_cast<int32_t>(i % 3 * 32 + i / 3);
  expect_equal_to_reference(w, small_gpu(), together);
  EXPECT_EQ(Model::create(w, small_gpu())->predict(together).dram_write_bytes, 96 * 64);
}

TEST(Model, APartThatIsWrittenTwiceIsWrittenBackOnce) {
  Order twice = identity(96);
  for (size_t i = 3; i < 96; i += 6) twice[i] = twice[i - 3];
  const Workload w = half_line_stores(96);
  expect_equal_to_reference(w, small_gpu(), twice);
  EXPECT_EQ(Model::create(w, small_gpu())->predict(twice).dram_write_bytes, 48 * 64 + 32 * 64);
}

TEST(Model, ATwoSidedL2FetchesFromDramOnce) {
  GpuSpec gpu = small_gpu();
  gpu.dispatch = Dispatch::kSingleQueue;
  gpu.domains = 1;
  gpu.cus_per_domain = 8;
  gpu.l2 = {.bytes = 4096 * 128, .line_bytes = 128};
  gpu.l2_partitions = 2;
  gpu.llc.bytes = 0;
  gpu.load_request_bytes = gpu.store_request_bytes = 32;
  const Workload w = gemm(4, 4, 3, 2048);
  const Prediction p = Model::create(w, gpu)->predict(identity(w.grid.size()));
  // A: 4 x 8 rows of 3 x 64 bytes; B: 3 x 4 rows of 4 x 256 bytes.
  EXPECT_EQ(p.dram_read_bytes, 4 * 8 * 192 + 12 * 1024);
  EXPECT_EQ(p.dram_write_bytes, 4 * 8 * 1024);
}

GpuSpec two_sided_gpu() {
  GpuSpec gpu = small_gpu();
  gpu.dispatch = Dispatch::kSingleQueue;
  gpu.domains = 1;
  gpu.cus_per_domain = 8;
  gpu.l2 = {.bytes = 4096 * 128, .line_bytes = 128};
  gpu.l2_partitions = 2;
  gpu.llc.bytes = 0;
  gpu.load_request_bytes = gpu.store_request_bytes = 32;
  return gpu;
}

TEST(Model, FarHalvesCrossTheFabricOnceForEachSideThatUsesThem) {
  const Workload w = gemm(4, 4, 3, 2048);
  const Prediction p = Model::create(w, two_sided_gpu())->predict(identity(w.grid.size()));
  // A row of tiles runs on four units, all of one side: half of what it reads of A is far. Both sides read all of B.
  const int64_t sectors = 4 * 8 * 192 / 32 / 2 + 12 * 1024 / 32;
  EXPECT_EQ(p.fabric_sectors, sectors);
  EXPECT_LE(p.fabric_hit_sectors, p.fabric_sectors);
}

TEST(Model, TwoDiesWithAnL2EachAreTheTwoSidesOfOne) {
  GpuSpec dies = two_sided_gpu();
  dies.domains = 2;
  dies.cus_per_domain = 4;
  dies.l2.bytes /= 2;
  dies.l2_partitions = 1;
  const Workload w = gemm(6, 5, 3, 2048);
  const Order order = identity(w.grid.size());
  const Prediction two = Model::create(w, dies)->predict(order),
                   one = Model::create(w, two_sided_gpu())->predict(order);
  ASSERT_EQ(two.domains.size(), 2U);
  EXPECT_EQ(two.domains[0].requests + two.domains[1].requests, one.domains[0].requests);
  EXPECT_EQ(two.domains[0].hits + two.domains[1].hits, one.domains[0].hits);
  EXPECT_EQ(two.dram_read_bytes, one.dram_read_bytes);
  EXPECT_EQ(two.fabric_sectors, one.fabric_sectors);
}

TEST(Model, TheRangeHoldsThePredictionAndIsTheSameEveryTime) {
  const Workload w = gemm(12, 12, 6, 4096);
  const Model model = Model::create(w, small_gpu()).value();
  const Order order = identity(w.grid.size());
  EXPECT_TRUE(model.predict(order).outcomes.empty());
  const Prediction p = model.predict(order, {.range = true}), again = model.predict(order, {.range = true});
  const auto hits = [](const Outcome& o) { return o.l2_hit_rate; };
  const Interval range = span_of(p, hits).value();
  EXPECT_LE(range.low, p.l2_hit_rate);
  EXPECT_GE(range.high, p.l2_hit_rate);
  EXPECT_LT(range.low, range.high) << "a GEMM whose operands do not fit depends on drift";
  ASSERT_EQ(p.outcomes.size(), again.outcomes.size());
  for (size_t i = 0; i < p.outcomes.size(); ++i) EXPECT_EQ(hits(p.outcomes[i]), hits(again.outcomes[i]));
  EXPECT_EQ(p.outcomes.front().l2_hit_rate, model.predict(order).l2_hit_rate);
}

TEST(Slots, EveryPhaseIsIssuedOnceHoweverWorkgroupsDrift) {
  ObjectStream stream;
  stream.tile_begin = {0, 3, 3, 8, 9, 20};
  for (const Timing& timing : {Timing{}, Timing{.shuffled = true}, Timing{.uneven = 0.3},
                               Timing{.miss_rounds = 1, .shuffled = true, .uneven = 0.1}}) {
    Slots slots(2, stream, timing, 7);
    std::vector<int> issued(20);
    int32_t next = 0;
    while (slots.round([&] { return next < 5 ? next++ : -1; },
                       [&](size_t, int64_t phase) {
                         ++issued[static_cast<size_t>(phase)];
                         return slots.rounds() + 1 + phase % 3;
                       })) {
    }
    EXPECT_EQ(issued, std::vector<int>(20, 1));
    EXPECT_EQ(slots.issued(), 20);
  }
}

TEST(InFlight, DramThatFallsBehindMakesThoseWhoAskWait) {
  InFlight calm({.memory_bytes = 100}, 3, 0), busy({.memory_bytes = 100}, 3, 0);
  calm.fetch(0, 60, 5);
  EXPECT_EQ(calm.arrival(0), 6);
  for (const int32_t object : {0, 1, 2}) busy.fetch(object, 90, 5);
  EXPECT_EQ(busy.arrival(0), 6);
  EXPECT_EQ(busy.arrival(2), 8) << "270 bytes at 100 a round";
  busy.fetch(0, 90, 9);
  EXPECT_EQ(busy.arrival(0), 10) << "the queue has drained";
}

TEST(Model, UnevenUnitsDriftOnlyWhereArithmeticSetsThePace) {
  GpuSpec gpu = two_sided_gpu();
  gpu.l2.bytes = 64 * 128;
  gpu.peak_flops["fp16"] = 1e9;
  Workload w = gemm(16, 16, 12, 4096);
  const Order order = identity(w.grid.size());
  const auto reads = [&] { return Model::create(w, gpu)->predict(order).dram_read_bytes; };
  const int64_t lock_step = reads();
  gpu.speed_spread = 0.2;
  EXPECT_EQ(reads(), lock_step) << "without flops the kernel is paced by memory";
  w.flops = 1e9;
  w.flops_dtype = "fp16";
  w.flops_matrix = true;
  EXPECT_GT(reads(), lock_step);
  const Model drifting = Model::create(w, gpu).value();
  Order backwards(order.rbegin(), order.rend());
  EXPECT_EQ(drifting.predict(order).compute_ms, drifting.predict(backwards).compute_ms);
  gpu.speed_spread = 0;
  EXPECT_EQ(drifting.predict(order).tail, Model::create(w, gpu)->predict(order).tail);
}

TEST(Model, FootprintPrefersOrdersThatShare) {
  const Workload w = gemm(12, 12, 4, 4096);
  const Model model = Model::create(w, small_gpu()).value();
  Order scattered = identity(w.grid.size());
  for (size_t i = 0; i < scattered.size(); ++i) scattered[i] = static_cast<int32_t>(i * 67 % scattered.size());
  EXPECT_LT(model.footprint_cost(identity(w.grid.size())), model.footprint_cost(scattered));
}

TEST(Model, CodeIsFetchedOnceForEachInstructionCacheThatRunsAWorkgroup) {
  const Workload w = gemm(2, 2, 1, 2048);
  GpuSpec gpu = small_gpu();
  const Order order = {0, 1, -1, 2, 3, -1};
  const Prediction without = Model::create(w, gpu)->predict(order);
  gpu.cus_per_instruction_cache = 2;
  gpu.code_requests = 10;
  const Prediction with = Model::create(w, gpu)->predict(order);
  for (size_t d = 0; d < with.domains.size(); ++d) {
    // Workgroups out of range run too.
    const auto workgroups =
        (static_cast<int64_t>(order.size()) - static_cast<int64_t>(d) + gpu.domains - 1) / gpu.domains;
    const int64_t caches = (std::min(workgroups, gpu.cus_per_domain) + 1) / 2;
    EXPECT_EQ(with.domains[d].requests - without.domains[d].requests, 10 * caches);
    EXPECT_EQ(with.domains[d].hits - without.domains[d].hits, 10 * caches - 5);  // five lines miss once
  }
  EXPECT_LE(with.l2_hit_rate, 1);
}

}  // namespace
}  // namespace swizzleperf

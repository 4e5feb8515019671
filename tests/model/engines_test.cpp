// The engines against each other and against the plain reference: all small grids, and random workloads on random small
// GPUs.
#include <gtest/gtest.h>

#include <numeric>

#include "model/engine_choice.h"
#include "model/model.h"
#include "tests/model/random_workloads.h"
#include "tests/model/reference.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

struct Sums {
  int64_t requests = 0, hits = 0, read = 0, written = 0;
  bool operator==(const Sums&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Sums& s) {
  return out << s.requests << " requests, " << s.hits << " hits, " << s.read << " B read, " << s.written << " written";
}

Sums sums_of(const Prediction& prediction) {
  Sums sums{.read = prediction.dram_read_bytes, .written = prediction.dram_write_bytes};
  for (const auto& domain : prediction.domains) {
    sums.requests += domain.requests;
    sums.hits += domain.hits;
  }
  return sums;
}

Sums sums_of(const ReferenceCounts& counts) {
  return {counts.requests, counts.hits, counts.dram_read_bytes, counts.dram_write_bytes};
}

Order identity(const Workload& workload) {
  Order order(static_cast<size_t>(workload.grid.size()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Sums by_lines(const Model& model, const Workload& workload, const GpuSpec& gpu, const Order& order, LineKernel kernel) {
  const LineModel lines = LineModel::create(workload, gpu, kernel).value();
  return sums_of(model.predict(order, {.lines = &lines}));
}

TEST(Engines, LinesEqualTheReferenceWithAnyShapeOfTheL2) {
  for (int seed = 0; seed < 400; ++seed) {
    Random random(static_cast<uint32_t>(seed));
    GpuSpec gpu = random_gpu(random);
    choose_sets(gpu, random);
    const Workload workload = random_workload(random);
    const Order order = identity(workload);
    const Model model = Model::create(workload, gpu).value();
    const Sums expected = sums_of(simulate_reference(workload, gpu, order));
    EXPECT_EQ(by_lines(model, workload, gpu, order, LineKernel::kBest), expected) << "seed " << seed;
    EXPECT_EQ(by_lines(model, workload, gpu, order, LineKernel::kPortable), expected) << "seed " << seed;
  }
}

TEST(Engines, LinesEqualTheReferenceOnTwoSides) {
  for (int seed = 0; seed < 400; ++seed) {
    Random random(static_cast<uint32_t>(seed));
    const GpuSpec gpu = random_sided_gpu(random);
    const Workload workload = random_workload(random);
    const Order order = identity(workload);
    const Model model = Model::create(workload, gpu).value();
    EXPECT_EQ(by_lines(model, workload, gpu, order, LineKernel::kBest),
              sums_of(simulate_reference_sides(workload, gpu, order)))
        << "seed " << seed;
  }
}

GpuSpec chiplets(int64_t domains, int64_t l1_lines, int64_t channel_lines) {
  GpuSpec gpu;
  gpu.domains = domains;
  gpu.cus_per_domain = 2;
  gpu.l1 = {.bytes = l1_lines * 128};
  gpu.l2 = {.bytes = 4 * channel_lines * 128, .line_bytes = 128, .channels = 4, .channel_interleave_bytes = 256};
  gpu.llc = {.bytes = 256 * 128};
  return gpu;
}

// Where every object fits into its list whole, all engines agree to the byte; where lists fill up in the middle of
// objects, lines still do.
TEST(Engines, AllAgreeOnEverySmallGridAndNumberOfDomains) {
  for (int64_t rows = 1; rows <= 9; ++rows) {
    for (int64_t columns = 1; columns <= 9; ++columns) {
      const Workload workload =
          workloads::gemm({.m = 4 * rows, .n = 64 * columns, .k = 16, .tile_m = 4, .tile_n = 64, .tile_k = 8});
      const Order order = identity(workload);
      for (int64_t domains = 1; domains <= 8; ++domains) {
        const GpuSpec roomy = chiplets(domains, 512, 512), tight = chiplets(domains, 8, 8);
        const Model model = Model::create(workload, roomy).value();
        const Sums expected = sums_of(simulate_reference(workload, roomy, order));
        EXPECT_EQ(by_lines(model, workload, roomy, order, LineKernel::kBest), expected)
            << rows << "x" << columns << " on " << domains;
        EXPECT_EQ(sums_of(model.predict(order)), expected) << rows << "x" << columns << " on " << domains;
        EXPECT_EQ(by_lines(model, workload, tight, order, LineKernel::kBest),
                  sums_of(simulate_reference(workload, tight, order)))
            << rows << "x" << columns << " on " << domains;
      }
    }
  }
}

// Domain d walks the tiles with d in its own way of naming them: as alike as domains can be, or not at all.
TEST(Engines, DomainsThatBehaveAlikeCountWhatEachCountsByItself) {
  const Workload workload = workloads::gemm({.m = 512, .n = 1024, .k = 256, .tile_m = 64, .tile_n = 64, .tile_k = 32});
  const auto tiles = static_cast<size_t>(workload.grid.size());
  for (const int64_t llc_lines : {0, 2000, 100000}) {
    GpuSpec gpu = chiplets(8, 64, 512);
    gpu.llc.bytes = llc_lines * 128;
    const Model model = Model::create(workload, gpu).value();
    for (size_t variant = 0; variant < 6; ++variant) {
      Order order(tiles);
      for (size_t w = 0; w < tiles; ++w) order[w] = static_cast<int32_t>(w % 8 * (tiles / 8) + w / 8);  // alike
      if (variant > 0) std::swap(order[variant * 7], order[tiles - variant * 11]);                      // but for two
      const Prediction prediction = model.predict(order);
      Sums apart;
      int64_t fetched = 0;
      for (const ArrayTraffic& array : model.explain(order)) {  // simulates each domain
        apart.requests += array.requests;
        apart.hits += array.hits;
        fetched += array.fetched_bytes;
      }
      EXPECT_EQ(sums_of(prediction).requests, apart.requests) << variant;
      EXPECT_EQ(sums_of(prediction).hits, apart.hits) << variant;
      EXPECT_EQ(sums_of(prediction), sums_of(simulate_reference(workload, gpu, order))) << variant;
      EXPECT_GE(prediction.l2_miss_bytes, fetched) << variant;
    }
  }
}

GpuSpec indexed_gpu(SetIndex index) {
  GpuSpec gpu = load_gpu("mi300x").value();
  gpu.l2.set_index = index;
  return gpu;
}

// Tiles of A are 128 rows, 8 KiB apart: under a plain index they lie in 32 of a channel's 128 sets.
Workload camping_gemm() {
  return workloads::gemm({.m = 256, .n = 256, .k = 4096});
}

TEST(EngineChoice, PowerOfTwoPitchesUnderAPlainIndexAskForLines) {
  const Workload camping = camping_gemm();
  EXPECT_TRUE(doubt_about_objects(camping, indexed_gpu(SetIndex::kModulo)));
  EXPECT_FALSE(doubt_about_objects(camping, indexed_gpu(SetIndex::kXorFold)));
  const auto engine = choose_engine(EngineRequest::kAuto, camping, indexed_gpu(SetIndex::kModulo));
  ASSERT_TRUE(engine);
  EXPECT_STREQ(engine->name(), "line");
  EXPECT_FALSE(engine->reason.empty());
}

TEST(EngineChoice, NothingSpeaksAgainstObjectsWhereLinesSpread) {
  const Workload plain = workloads::elementwise(64, 4096);
  EXPECT_FALSE(doubt_about_objects(plain, indexed_gpu(SetIndex::kModulo)));
  const auto engine = choose_engine(EngineRequest::kAuto, plain, indexed_gpu(SetIndex::kModulo));
  ASSERT_TRUE(engine);
  EXPECT_STREQ(engine->name(), "object");
  EXPECT_TRUE(engine->reason.empty());
}

TEST(EngineChoice, ObjectsThatWereAskedForStayAndSayWhatIsWrong) {
  const Workload camping = camping_gemm();
  const auto engine = choose_engine(EngineRequest::kObject, camping, indexed_gpu(SetIndex::kModulo));
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->lines(), nullptr);
  EXPECT_NE(engine->reason.find("may be off"), std::string::npos);
}

}  // namespace
}  // namespace swizzleperf

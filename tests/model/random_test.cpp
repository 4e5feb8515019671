// Random workloads on random small GPUs: objects against the line-by-line reference. They are equal but where a list is
// full in the middle of an object: the reference then evicts a part of what the engine evicts whole.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "model/model.h"
#include "tests/model/reference.h"

namespace swizzleperf {
namespace {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937 engine_;
};

GpuSpec random_gpu(Random& random) {
  GpuSpec gpu;
  gpu.domains = random(1, 3);
  gpu.cus_per_domain = random(1, 4);
  gpu.l1 = {.bytes = random(1, 8) * 128};
  gpu.l2 = {.bytes = random(2, 32) * 4 * 128,
            .line_bytes = 128,
            .channels = random(0, 1) == 1 ? 4 : 1,
            .channel_interleave_bytes = 256};
  gpu.llc = {.bytes = random(0, 1) * 300 * 128};
  return gpu;
}

Workload random_workload(Random& random) {
  Workload w;
  w.grid = {random(4, 40)};
  w.occupancy = random(1, 2);
  w.arrays = {{"a", 16384, 2}, {"b", 16384, 2}};
  const int64_t patterns = random(1, 3);
  for (int64_t p = 0; p < patterns; ++p) {
    Pattern pattern;
    for (int64_t s = random(1, 6); s > 0; --s)
      pattern.segments.push_back(
          {random(0, 30) * 64, static_cast<int32_t>(random(1, 256)), static_cast<int32_t>(random(1, 2))});
    w.patterns.push_back(pattern);
  }
  w.tile_begin = {0};
  w.phase_begin = {0};
  for (int64_t tile = 0; tile < w.grid.size(); ++tile) {
    for (int64_t phase = random(1, 4); phase > 0; --phase) {
      for (int64_t a = random(1, 2); a > 0; --a)
        w.accesses.push_back({random(0, 180) * 64, static_cast<int32_t>(random(0, patterns - 1)),
                              static_cast<int16_t>(random(0, 1)), static_cast<AccessKind>(random(0, 3))});
      w.phase_begin.push_back(static_cast<int64_t>(w.accesses.size()));
    }
    w.tile_begin.push_back(static_cast<int64_t>(w.phase_begin.size()) - 1);
  }
  return w;
}

TEST(RandomWorkloads, ObjectsEqualLinesButForAFewPartialEvictions) {
  constexpr int kWorkloads = 500;
  int different = 0;
  for (int seed = 0; seed < kWorkloads; ++seed) {
    Random random(static_cast<uint32_t>(seed));
    const GpuSpec gpu = random_gpu(random);
    const Workload workload = random_workload(random);
    Order order(static_cast<size_t>(workload.grid.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto model = Model::create(workload, gpu);
    ASSERT_TRUE(model) << model.error().message;
    const Prediction fast = model->predict(order);
    const ReferenceCounts slow = simulate_reference(workload, gpu, order);
    int64_t requests = 0, hits = 0;
    for (const auto& domain : fast.domains) {
      requests += domain.requests;
      hits += domain.hits;
    }
    EXPECT_LE(fast.l2_hit_rate, fast.ceiling + 1e-12) << "seed " << seed;
    const bool equal = requests == slow.requests && hits == slow.hits;
    different += equal ? 0 : 1;
    if (equal) EXPECT_EQ(fast.dram_write_bytes, slow.dram_write_bytes) << "seed " << seed;
    EXPECT_NEAR(fast.l2_hit_rate, static_cast<double>(slow.hits) / static_cast<double>(slow.requests), 0.02)
        << "seed " << seed;
  }
  EXPECT_LE(different, kWorkloads / 20);
}

}  // namespace
}  // namespace swizzleperf

// Random workloads on random small GPUs: objects against the line-by-line reference. They are equal but where a list is
// full in the middle of an object: the reference then evicts a part of what the engine evicts whole.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/model.h"
#include "tests/model/random_workloads.h"
#include "tests/model/reference.h"

namespace swizzleperf {
namespace {

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

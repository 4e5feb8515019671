#include "model/explain.h"

#include <gtest/gtest.h>

#include <numeric>

#include "model/model.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

Order identity(const Workload& workload) {
  Order order(static_cast<size_t>(workload.grid.size()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// What the arrays show adds up to what the prediction says, on either kind of GPU.
TEST(Explain, ArraysAddUpToThePrediction) {
  for (const Workload& workload : {workloads::gemm({.m = 1024, .n = 2048, .k = 512}), workloads::stencil(1024, 32),
                                   workloads::transpose(2048, 32), workloads::elementwise(512, 1024)}) {
    for (const char* gpu : {"mi300x", "mi250x", "h200", "b200"}) {
      GpuSpec spec = load_gpu(gpu).value();
      spec.code_requests = 0;  // the kernel's code belongs to no array
      const Model model = Model::create(workload, spec).value();
      const Order order = identity(workload);
      const Prediction prediction = model.predict(order);
      int64_t requests = 0, hits = 0, fetched = 0;
      for (const ArrayTraffic& array : model.explain(order)) {
        requests += array.requests;
        hits += array.hits;
        fetched += array.fetched_bytes;
        EXPECT_LE(array.hits, array.requests) << gpu << " " << array.name;
      }
      ASSERT_GT(requests, 0);
      EXPECT_NEAR(static_cast<double>(hits) / static_cast<double>(requests), prediction.l2_hit_rate, 1e-3) << gpu;
      EXPECT_GE(fetched, prediction.dram_read_bytes * 999 / 1000) << gpu;
    }
  }
}

TEST(Explain, AContiguousShareOfRowsIsFetchedByOneXcdAndColumnsByAll) {
  const Workload workload = workloads::linear_gemm({.m = 4096, .n = 4096, .k = 256});
  const Model model = Model::create(workload, load_gpu("mi300x").value()).value();
  Order order(static_cast<size_t>(workload.grid.size()));
  for (size_t w = 0; w < order.size(); ++w) order[w] = static_cast<int32_t>(w % 8 * (order.size() / 8) + w / 8);
  const auto arrays = model.explain(order);
  EXPECT_DOUBLE_EQ(arrays[0].domains_a_line, 1);  // rows of A
  EXPECT_DOUBLE_EQ(arrays[1].domains_a_line, 8);  // all of B
  EXPECT_GE(arrays[1].fetches_a_line, 8);
}

TEST(Explain, APowerOfTwoPitchGoesThroughOneChannel) {
  const Workload workload = workloads::transpose(8192, 32);
  const Model model = Model::create(workload, load_gpu("mi300x").value()).value();
  const auto arrays = model.explain(identity(workload));
  EXPECT_DOUBLE_EQ(arrays[0].channels_an_access, 1);
  EXPECT_EQ(row_pitch(workload, 0), 8192 * 2);
}

}  // namespace
}  // namespace swizzleperf

// depends: swizzleperf_model swizzleperf_test_engines
// Bytes become a small workload, a small GPU and an order; the line engine must count what the plain reference counts,
// with both kernels, and objects no more than compulsory misses allow.
#include <cstdint>
#include <cstdlib>

#include "model/line_model.h"
#include "model/model.h"
#include "tests/model/random_workloads.h"
#include "tests/model/reference.h"

namespace {

using namespace swizzleperf;

void expect_equal(const Prediction& prediction, const ReferenceCounts& expected) {
  int64_t requests = 0, hits = 0;
  for (const auto& domain : prediction.domains) {
    requests += domain.requests;
    hits += domain.hits;
  }
  if (requests != expected.requests || hits != expected.hits ||
      prediction.dram_read_bytes != expected.dram_read_bytes ||
      prediction.dram_write_bytes != expected.dram_write_bytes)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint32_t seed = 0;
  for (size_t i = 0; i < size && i < 8; ++i) seed = seed * 257 + data[i];
  Random random(seed);
  const bool sides = random(0, 1) == 1;
  GpuSpec gpu = sides ? random_sided_gpu(random) : random_gpu(random);
  if (!sides && random(0, 1) == 1) choose_sets(gpu, random);
  const Workload workload = random_workload(random);
  Order order;  // any function: the bytes are the tiles
  for (size_t i = 8; i < size && i < 72; ++i)
    order.push_back(static_cast<int32_t>(data[i] % (workload.grid.size() + 1)) - 1);
  const auto model = Model::create(workload, gpu);
  if (!model) std::abort();
  const ReferenceCounts expected =
      sides ? simulate_reference_sides(workload, gpu, order) : simulate_reference(workload, gpu, order);
  for (const LineKernel kernel : {LineKernel::kPortable, LineKernel::kBest}) {
    const auto lines = LineModel::create(workload, gpu, kernel);
    if (!lines) std::abort();
    expect_equal(model->predict(order, {.lines = &*lines}), expected);
  }
  const Prediction objects = model->predict(order);
  if (objects.l2_hit_rate < 0 || objects.l2_hit_rate > 1) std::abort();
  return 0;
}

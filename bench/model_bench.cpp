// Building the model of a workload, and predicting one order of it. Aims on one quiet core: 8 ms an order of the GEMM
// of 4096 cubed, 60 ms of 8192 cubed, 500 ms of a transpose of 2^20 tiles; 100 us a footprint of 1024 tiles.
#include <benchmark/benchmark.h>

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

void build(benchmark::State& state, const Workload& workload, const char* gpu_name) {
  const GpuSpec gpu = load_gpu(gpu_name).value();
  for (auto _ : state) benchmark::DoNotOptimize(Model::create(workload, gpu));
}

void predict(benchmark::State& state, const Workload& workload, const char* gpu_name) {
  const GpuSpec gpu = load_gpu(gpu_name).value();
  const Model model = Model::create(workload, gpu).value();
  const Order order = identity(workload);
  for (auto _ : state) benchmark::DoNotOptimize(model.predict(order));
}

void footprint(benchmark::State& state, const Workload& workload, const char* gpu_name) {
  const GpuSpec gpu = load_gpu(gpu_name).value();
  const Model model = Model::create(workload, gpu).value();
  const Order order = identity(workload);
  for (auto _ : state) benchmark::DoNotOptimize(model.footprint_cost(order));
}

Workload cube(int64_t size) {
  return workloads::gemm({.m = size, .n = size, .k = size});
}

BENCHMARK_CAPTURE(build, gemm_8192, cube(8192), "mi300x")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, stencil_8192, workloads::stencil(8192, 32), "mi300x")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, gemm_4096, cube(4096), "mi300x")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, gemm_8192, cube(8192), "mi300x")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, gemm_8192_h200, cube(8192), "h200")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, stencil_8192, workloads::stencil(8192, 32), "mi300x")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, transpose_32768, workloads::transpose(32768, 32), "mi300x")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(footprint, gemm_4096, cube(4096), "mi300x")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(footprint, gemm_8192, cube(8192), "mi300x")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace swizzleperf

BENCHMARK_MAIN();

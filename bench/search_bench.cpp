// The whole search on one core: proving, footprints and the simulation of the best. Aim: 1,000 orders of the GEMM of
// 4096 cubed in at most 4 s.
#include <benchmark/benchmark.h>

#include "search/search.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

void search_gemm(benchmark::State& state) {
  const int64_t size = state.range(0);
  const Workload workload = workloads::gemm({.m = size, .n = size, .k = size});
  const GpuSpec gpu = load_gpu("mi300x").value();
  const Model model = Model::create(workload, gpu).value();
  int64_t orders = 0;
  for (auto _ : state) {
    const auto result = search(workload, gpu, model, {{"num_xcds", gpu.domains}}, {.threads = 1});
    orders += result->distinct;
  }
  state.counters["orders"] = benchmark::Counter(static_cast<double>(orders), benchmark::Counter::kIsRate);
}
BENCHMARK(search_gemm)->Arg(4096)->Arg(8192)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace swizzleperf

BENCHMARK_MAIN();

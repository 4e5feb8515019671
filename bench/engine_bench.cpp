// The engines on the reference stream of the 4096 cubed GEMM (tests/model/golden_stream_test.cpp): 16.8 million line
// accesses over eight L2s of 4 MiB, 16 ways, 32 workgroups of a cache at a time. One core. Aims: lines 150 million
// accesses a second by the portable kernel and 300 million by AVX2; objects 1 ms an order; footprint 50 us an order.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>

#include "model/engine.h"
#include "model/line_model.h"
#include "model/model.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

constexpr int64_t kSize = 4096, kTile = 128, kDomains = 8, kResident = 32;

// The reference stream's caches: no L1, nothing behind.
GpuSpec stream_gpu() {
  GpuSpec gpu;
  gpu.domains = kDomains;
  gpu.cus_per_domain = kResident;
  gpu.l1.bytes = 0;
  gpu.l2 = {.bytes = int64_t{4} << 20, .line_bytes = 128, .channels = 1, .channel_interleave_bytes = 128, .ways = 16};
  return gpu;
}

GpuSpec mi300x() {
  return load_gpu("mi300x").value();
}

// Remap 0: tile b. 1: each cache a contiguous share. 2: that, in groups of 8 rows walked column by column.
Order remapped(int64_t remap) {
  constexpr int64_t kSide = kSize / kTile, kTiles = kSide * kSide;
  Order order;
  for (int64_t b = 0; b < kTiles; ++b) {
    const int64_t t = remap == 0 ? b : b % kDomains * (kTiles / kDomains) + b / kDomains;
    const int64_t in_group = t % (8 * kSide);
    order.push_back(static_cast<int32_t>(remap < 2 ? t : (t / (8 * kSide) * 8 + in_group % 8) * kSide + in_group / 8));
  }
  return order;
}

Workload stream() {
  return workloads::gemm_loads({.m = kSize, .n = kSize, .k = kSize, .tile_k = 64});
}

int64_t requests_of(const Counts& counts) {
  return std::accumulate(counts.domains.begin(), counts.domains.end(), int64_t{0},
                         [](int64_t sum, const DomainPrediction& domain) { return sum + domain.requests; });
}

void lines(benchmark::State& state, LineKernel kernel, const GpuSpec& gpu) {
  if (kernel == LineKernel::kBest && !has_vector_kernel()) state.SkipWithError("this processor has no AVX2");
  const LineModel model = LineModel::create(stream(), gpu, kernel).value();
  const Order order = remapped(state.range(0));
  int64_t accesses = 0;
  for (auto _ : state) accesses += requests_of(model.simulate(order, 1));
  state.counters["accesses"] = benchmark::Counter(static_cast<double>(accesses), benchmark::Counter::kIsRate);
}

void objects(benchmark::State& state, const Workload& workload, const GpuSpec& gpu) {
  const Model model = Model::create(workload, gpu).value();
  const Order order = remapped(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(model.predict(order));
}

void footprint(benchmark::State& state) {
  const Model model = Model::create(stream(), mi300x()).value();
  const Order order = remapped(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(model.footprint_cost(order));
}

BENCHMARK_CAPTURE(lines, portable, LineKernel::kPortable, stream_gpu())
    ->DenseRange(0, 2)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lines, avx2, LineKernel::kBest, stream_gpu())->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lines, avx2_mi300x_with_l1, LineKernel::kBest, mi300x())
    ->DenseRange(0, 2)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(objects, stream, stream(), stream_gpu())->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(objects, mi300x, stream(), mi300x())->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(footprint)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace swizzleperf

BENCHMARK_MAIN();

// Evaluating and proving maps on a grid of 2^20 workgroups, one core. The aim is at most 50 ms a map.
#include <benchmark/benchmark.h>

#include "swizzle/swizzle.h"

namespace {

void prove_map(benchmark::State& state, const char* text, swizzleperf::Grid grid) {
  const auto expr = swizzleperf::SwizzleExpr::parse(text).value();
  for (auto _ : state) benchmark::DoNotOptimize(swizzleperf::prove(expr, grid, {{"num_xcds", 8}}));
}

BENCHMARK_CAPTURE(prove_map, balanced,
                  "x = wg % num_xcds; pid = x * (num_wgs / num_xcds) + min(x, num_wgs % num_xcds) + wg / num_xcds",
                  swizzleperf::Grid{1 << 20})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove_map, grouped,
                  "g = wg / (8 * grid_x); h = min(grid_y - g * 8, 8); l = wg % (8 * grid_x); pid_x = l / h; "
                  "pid_y = g * 8 + l % h",
                  swizzleperf::Grid{1024, 1024})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove_map, hilbert, "pid_x = hilbert_x(wg, grid_y, grid_x); pid_y = hilbert_y(wg, grid_y, grid_x)",
                  swizzleperf::Grid{1024, 1024})
    ->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(prove_map, balanced_hilbert,
                  "x = wg % num_xcds; t = x * (num_wgs / num_xcds) + min(x, num_wgs % num_xcds) + wg / num_xcds; "
                  "pid_x = hilbert_x(t, grid_y, grid_x); pid_y = hilbert_y(t, grid_y, grid_x)",
                  swizzleperf::Grid{1024, 1024})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove_map, morton, "pid_x = morton_x(wg, grid_y, grid_x); pid_y = morton_y(wg, grid_y, grid_x)",
                  swizzleperf::Grid{1024, 1024})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

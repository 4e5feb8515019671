// One explicit time step of the Black-Scholes equation on a grid of prices: new_v = v + dt * (0.5 * sigma^2 * s^2 * v'' + r * s * v' - r * v),
// central differences, option values at both ends kept. 1024 prices a workgroup.
#include <cuda_runtime.h>

constexpr int kTile = 1024;
constexpr int kThreads = 256;

__global__ __launch_bounds__(256) void black_scholes(const float* __restrict__ s, const float* __restrict__ v, float* __restrict__ new_v, int n, float ds,
                                                     float dt, float rate, float sigma) {
  for (int i = threadIdx.x; i < kTile; i += kThreads) {
    const int at = blockIdx.x * kTile + i;
    if (at >= n) return;
    const float here = v[at];
    if (at == 0 || at == n - 1) {
      new_v[at] = here;
      continue;
    }
    const float below = v[at - 1], above = v[at + 1], price = s[at];
    const float slope = (above - below) / (2.0f * ds);
    const float curvature = (above - 2.0f * here + below) / (ds * ds);
    new_v[at] = here + dt * (0.5f * sigma * sigma * price * price * curvature + rate * price * slope - rate * here);
  }
}

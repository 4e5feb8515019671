// FDTD in two dimensions, Yee's scheme: the magnetic field hz and the electric fields ex and ey, fp32, row-major. Each kernel updates one
// field in place from the other two, so that no workgroup reads what another one writes; a time step is the three in turn. Tiles
// of 32 x 32. Grid: x counts row blocks (fastest), y column blocks.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kRows = 8;  // of the block: each thread updates four elements

__global__ __launch_bounds__(256) void update_hz(const float* __restrict__ ex, const float* __restrict__ ey, float* __restrict__ hz, int m, int n) {
  const int column = blockIdx.y * kTile + threadIdx.x;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int row = blockIdx.x * kTile + r;
    if (row >= m - 1 || column >= n - 1) continue;
    const long long at = (long long)row * n + column;
    hz[at] -= 0.7f * (ex[at + 1] - ex[at] + ey[at + n] - ey[at]);
  }
}

__global__ __launch_bounds__(256) void update_ex(const float* __restrict__ hz, float* __restrict__ ex, int m, int n) {
  const int column = blockIdx.y * kTile + threadIdx.x;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int row = blockIdx.x * kTile + r;
    if (row >= m || column == 0 || column >= n) continue;
    const long long at = (long long)row * n + column;
    ex[at] -= 0.5f * (hz[at] - hz[at - 1]);
  }
}

__global__ __launch_bounds__(256) void update_ey(const float* __restrict__ hz, float* __restrict__ ey, int m, int n) {
  const int column = blockIdx.y * kTile + threadIdx.x;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int row = blockIdx.x * kTile + r;
    if (row == 0 || row >= m || column >= n) continue;
    const long long at = (long long)row * n + column;
    ey[at] -= 0.5f * (hz[at] - hz[at - n]);
  }
}

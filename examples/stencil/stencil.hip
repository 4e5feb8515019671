// 5-point stencil in fp16: out = 0.5 * centre + 0.125 * (up + down + left + right), zero outside. Tiles of 32 x 32, five loads an
// element. Grid: x counts row blocks (fastest), y column blocks.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kTile = 32;
constexpr int kRows = 8;

__device__ float at(const __half* in, int row, int column, int m, int n) {
  return row >= 0 && row < m && column >= 0 && column < n ? (float)in[(long long)row * n + column] : 0.0f;
}

__global__ void stencil(const __half* in, __half* out, int m, int n) {
  const int column = blockIdx.y * kTile + threadIdx.x;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int row = blockIdx.x * kTile + r;
    if (row < m && column < n) {
      const float around = at(in, row - 1, column, m, n) + at(in, row + 1, column, m, n) + at(in, row, column - 1, m, n) + at(in, row, column + 1, m, n);
      out[(long long)row * n + column] = __half(0.5f * at(in, row, column, m, n) + 0.125f * around);
    }
  }
}

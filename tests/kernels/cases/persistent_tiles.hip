#include <hip/hip_runtime.h>

// c = a + b^T, tile by tile: a few workgroups walk over all tiles of a matrix.
constexpr int kTile = 16;

__global__ __launch_bounds__(256) void add_transposed(const float* a, const float* b, float* c, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int tiles_x = (columns + kTile - 1) / kTile;
  const int tiles = tiles_x * ((rows + kTile - 1) / kTile);
  const int tx = threadIdx.x % kTile, ty = threadIdx.x / kTile;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int row = t / tiles_x * kTile, column = t % tiles_x * kTile;
    if (column + ty < columns && row + tx < rows) tile[ty][tx] = b[(column + ty) * rows + row + tx];
    __syncthreads();
    if (row + ty < rows && column + tx < columns) {
      const int at = (row + ty) * columns + column + tx;
      c[at] = a[at] + tile[tx][ty];
    }
    __syncthreads();
  }
}

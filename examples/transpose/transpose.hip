// out[N,M] = in[M,N] transposed, fp16, tiles of 32 x 32 through shared memory. Grid: x counts row blocks of the input (fastest), y
// column blocks.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kTile = 32;
constexpr int kRows = 8;  // of the block: each thread moves four elements

__global__ void transpose(const __half* in, __half* out, int m, int n) {
  __shared__ __half tile[kTile][kTile + 1];
  const int row = blockIdx.x * kTile;
  const int column = blockIdx.y * kTile;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    if (row + r < m && column + threadIdx.x < n) tile[r][threadIdx.x] = in[(long long)(row + r) * n + column + threadIdx.x];
  }
  __syncthreads();
  for (int c = threadIdx.y; c < kTile; c += kRows) {
    if (column + c < n && row + threadIdx.x < m) out[(long long)(column + c) * m + row + threadIdx.x] = tile[threadIdx.x][c];
  }
}

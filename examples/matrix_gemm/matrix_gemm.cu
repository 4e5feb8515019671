// C[M,N] = A[M,K] * B[N,K]^T, fp16 with fp32 sums, on tensor cores: a linear layer with its weights as they are stored. A block of eight
// warps computes a tile of 128 x 128 in steps of 32 along K; a warp computes 32 x 64 of it as 2 x 4 products of 16 x 16. Grid: x counts
// tile columns, y tile rows.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 128;
constexpr int kTileK = 32;
constexpr int kThreads = 256;
constexpr int kVector = 8;
constexpr int kPitch = kTileK + kVector;  // spreads the rows over the banks, and keeps vectors aligned

// 128 rows x 32 columns at (row, column) of a matrix, 16 bytes at a time where a whole, aligned vector lies inside, element by
// element at the edges; what lies outside becomes zero.
__device__ void load_tile(const __half* matrix, int rows, int columns, int row, int column, __half* tile) {
  const bool aligned = columns % kVector == 0;
  for (int i = threadIdx.x; i < kTile * kTileK / kVector; i += kThreads) {
    const int r = i / (kTileK / kVector), c = i % (kTileK / kVector) * kVector;
    const long long at = (long long)(row + r) * columns + column + c;
    __half* to = tile + r * kPitch + c;
    if (aligned && row + r < rows && column + c < columns) {
      *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(matrix + at);
    } else {
      for (int k = 0; k < kVector; ++k) to[k] = row + r < rows && column + c + k < columns ? matrix[at + k] : __half(0.0f);
    }
  }
}

using Left = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Right = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

__global__ __launch_bounds__(256) void matrix_gemm(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c, int m, int n, int k) {
  __shared__ __attribute__((aligned(32))) __half tile_a[kTile * kPitch];
  __shared__ __attribute__((aligned(32))) __half tile_b[kTile * kPitch];
  __shared__ __attribute__((aligned(32))) float staged[kThreads / 32][16 * 16];
  const int row = blockIdx.y * kTile;
  const int column = blockIdx.x * kTile;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 64;
  Sums sum[2][4];
  for (int r = 0; r < 2; ++r) {
    for (int q = 0; q < 4; ++q) wmma::fill_fragment(sum[r][q], 0.0f);
  }
  for (int step = 0; step < k; step += kTileK) {
    load_tile(a, m, k, row, step, tile_a);
    load_tile(b, n, k, column, step, tile_b);
    __syncthreads();
    for (int i = 0; i < kTileK; i += 16) {
      Left left[2];
      Right right[4];
      for (int r = 0; r < 2; ++r) wmma::load_matrix_sync(left[r], tile_a + (warp_row + r * 16) * kPitch + i, kPitch);
      for (int q = 0; q < 4; ++q) wmma::load_matrix_sync(right[q], tile_b + (warp_column + q * 16) * kPitch + i, kPitch);
      for (int r = 0; r < 2; ++r) {
        for (int q = 0; q < 4; ++q) wmma::mma_sync(sum[r][q], left[r], right[q], sum[r][q]);
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r) {
    for (int q = 0; q < 4; ++q) {
      wmma::store_matrix_sync(staged[warp], sum[r][q], 16, wmma::mem_row_major);
      __syncwarp();
      for (int i = lane; i < 256; i += 32) {
        const int to_row = row + warp_row + r * 16 + i / 16, to_column = column + warp_column + q * 16 + i % 16;
        if (to_row < m && to_column < n) c[(long long)to_row * n + to_column] = __half(staged[warp][i]);
      }
      __syncwarp();
    }
  }
}

// C[b] = A[b] * B[b] for a batch of row-major fp16 matrices at fixed strides, fp32 sums: M x K times K x N. A workgroup of 256 threads
// computes a tile of 128 x 128 in steps of 32 along K; a thread computes 8 x 8 of it in registers. Grid: x counts tile
// columns, y tile rows, z matrices.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 32;
constexpr int kThreads = 256;
constexpr int kPerThread = 8;
constexpr int kVector = 8;

// Copies Rows x Columns elements at (row, column) of a matrix into shared memory, 16 bytes at a time where a whole, aligned
// vector lies inside, element by element at the edges; what lies outside becomes zero.
template <int Rows, int Columns>
__device__ void load_tile(const __half* matrix, int rows, int columns, int row, int column, __half* tile) {
  const bool aligned = columns % kVector == 0;
  for (int i = threadIdx.x; i < Rows * Columns / kVector; i += kThreads) {
    const int r = i / (Columns / kVector);
    const int c = i % (Columns / kVector) * kVector;
    const long long at = (long long)(row + r) * columns + column + c;
    __half* to = tile + r * Columns + c;
    if (aligned && row + r < rows && column + c < columns) {
      *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(matrix + at);
    } else {
      for (int k = 0; k < kVector; ++k) to[k] = row + r < rows && column + c + k < columns ? matrix[at + k] : __half(0.0f);
    }
  }
}

__global__ __launch_bounds__(256) void batched_gemm(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c, int m, int n, int k,
                                                    long long stride_a, long long stride_b, long long stride_c) {
  __shared__ __attribute__((aligned(16))) __half tile_a[kTileM * kTileK];
  __shared__ __attribute__((aligned(16))) __half tile_b[kTileK * kTileN];
  a += blockIdx.z * stride_a;
  b += blockIdx.z * stride_b;
  c += blockIdx.z * stride_c;
  const int row = blockIdx.y * kTileM;
  const int column = blockIdx.x * kTileN;
  const int thread_row = threadIdx.x / 16 * kPerThread;
  const int thread_column = threadIdx.x % 16 * kPerThread;
  float sum[kPerThread][kPerThread] = {};
  for (int step = 0; step < k; step += kTileK) {
    load_tile<kTileM, kTileK>(a, m, k, row, step, tile_a);
    load_tile<kTileK, kTileN>(b, k, n, step, column, tile_b);
    __syncthreads();
    for (int i = 0; i < kTileK; ++i) {
      float left[kPerThread], right[kPerThread];
      for (int r = 0; r < kPerThread; ++r) left[r] = (float)tile_a[(thread_row + r) * kTileK + i];
      for (int q = 0; q < kPerThread; ++q) right[q] = (float)tile_b[i * kTileN + thread_column + q];
      for (int r = 0; r < kPerThread; ++r) {
        for (int q = 0; q < kPerThread; ++q) sum[r][q] += left[r] * right[q];
      }
    }
    __syncthreads();
  }
  const bool whole = n % kVector == 0 && column + thread_column + kPerThread <= n;
  for (int r = 0; r < kPerThread; ++r) {
    __attribute__((aligned(16))) __half line[kPerThread];
    for (int q = 0; q < kPerThread; ++q) line[q] = __half(sum[r][q]);
    __half* to = c + (long long)(row + thread_row + r) * n + column + thread_column;
    if (row + thread_row + r >= m) continue;
    if (whole) {
      *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(line);
    } else {
      for (int q = 0; q < kPerThread; ++q) {
        if (column + thread_column + q < n) to[q] = line[q];
      }
    }
  }
}

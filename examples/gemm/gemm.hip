// C[M,N] = A[M,K] * B[K,N], row-major. A workgroup of 256 threads computes a tile of 128 x 128 in steps of 32 along K; a thread
// computes 8 x 8 of it in registers. Grid: x counts tile columns, y tile rows.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 32;
constexpr int kThreads = 256;
constexpr int kPerThread = 8;

// Copies Rows x Columns elements at (row, column) of a matrix into shared memory, 16 bytes at a time where a whole, aligned
// vector lies inside, element by element at the edges; what lies outside becomes zero.
template <int Rows, int Columns, class T>
__device__ void load_tile(const T* matrix, int rows, int columns, int row, int column, T* tile) {
  constexpr int kVector = 16 / (int)sizeof(T);
  const bool aligned = columns % kVector == 0;
  for (int i = threadIdx.x; i < Rows * Columns / kVector; i += kThreads) {
    const int r = i / (Columns / kVector);
    const int c = i % (Columns / kVector) * kVector;
    const long long at = (long long)(row + r) * columns + column + c;
    T* to = tile + r * Columns + c;
    if (aligned && row + r < rows && column + c < columns) {
      *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(matrix + at);
    } else {
      for (int k = 0; k < kVector; ++k) to[k] = row + r < rows && column + c + k < columns ? matrix[at + k] : T(0.0f);
    }
  }
}

template <class T>
__global__ __launch_bounds__(256) void gemm(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int m, int n, int k) {
  __shared__ __attribute__((aligned(16))) T tile_a[kTileM * kTileK];
  __shared__ __attribute__((aligned(16))) T tile_b[kTileK * kTileN];
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
  // Whole rows of eight go out as 16-byte vectors where they lie inside and are aligned.
  constexpr int kVector = 16 / (int)sizeof(T);
  const bool whole = n % kVector == 0 && column + thread_column + kPerThread <= n;
  for (int r = 0; r < kPerThread; ++r) {
    __attribute__((aligned(16))) T line[kPerThread];
    for (int q = 0; q < kPerThread; ++q) line[q] = (T)sum[r][q];
    T* to = c + (long long)(row + thread_row + r) * n + column + thread_column;
    if (row + thread_row + r >= m) continue;
    if (whole) {
      for (int q = 0; q < kPerThread; q += kVector) *reinterpret_cast<float4*>(to + q) = *reinterpret_cast<const float4*>(line + q);
    } else {
      for (int q = 0; q < kPerThread; ++q) {
        if (column + thread_column + q < n) to[q] = line[q];
      }
    }
  }
}

template __global__ void gemm<__half>(const __half*, const __half*, __half*, int, int, int);
template __global__ void gemm<float>(const float*, const float*, float*, int, int, int);

// C[M,N] = A[M,K] * B[K,N], row-major fp16, fp32 sums, by workgroups that stay: one a compute unit, each takes the tiles blockIdx.x,
// blockIdx.x + gridDim.x, ... in row-major order. 256 threads compute a tile of 128 x 128 in steps of 32 along K; the operands lie in
// shared memory as fp32, A transposed, so that a thread reads its 8 + 8 values as four vectors and computes 8 x 8 products.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 32;
constexpr int kThreads = 256;
constexpr int kPerThread = 8;
constexpr int kVector = 8;
constexpr int kPitchA = kTileM + 4;  // spreads the columns of the transposed tile over the banks

// Eight elements at (row, column) of a matrix, zero outside.
__device__ void load_vector(const __half* matrix, int rows, int columns, int row, int column, __half* to) {
  const long long at = (long long)row * columns + column;
  if (columns % kVector == 0 && row < rows && column < columns) {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(matrix + at);
  } else {
    for (int k = 0; k < kVector; ++k) to[k] = row < rows && column + k < columns ? matrix[at + k] : __half(0.0f);
  }
}

__device__ void load_a(const __half* a, int m, int k, int row, int step, float* tile) {
  for (int i = threadIdx.x; i < kTileM * kTileK / kVector; i += kThreads) {
    __attribute__((aligned(16))) __half values[kVector];
    const int r = i / (kTileK / kVector), c = i % (kTileK / kVector) * kVector;
    load_vector(a, m, k, row + r, step + c, values);
    for (int v = 0; v < kVector; ++v) tile[(c + v) * kPitchA + r] = (float)values[v];
  }
}

__device__ void load_b(const __half* b, int k, int n, int step, int column, float* tile) {
  for (int i = threadIdx.x; i < kTileK * kTileN / kVector; i += kThreads) {
    __attribute__((aligned(16))) __half values[kVector];
    const int r = i / (kTileN / kVector), c = i % (kTileN / kVector) * kVector;
    load_vector(b, k, n, step + r, column + c, values);
    float4* to = reinterpret_cast<float4*>(tile + r * kTileN + c);
    to[0] = make_float4((float)values[0], (float)values[1], (float)values[2], (float)values[3]);
    to[1] = make_float4((float)values[4], (float)values[5], (float)values[6], (float)values[7]);
  }
}

__device__ void store(__half* c, int m, int n, int row, int column, const float (*sum)[kPerThread]) {
  const bool whole = n % kVector == 0 && column + kPerThread <= n;
  for (int r = 0; r < kPerThread; ++r) {
    __attribute__((aligned(16))) __half line[kPerThread];
    for (int q = 0; q < kPerThread; ++q) line[q] = __half(sum[r][q]);
    __half* to = c + (long long)(row + r) * n + column;
    if (row + r >= m) continue;
    if (whole) {
      *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(line);
    } else {
      for (int q = 0; q < kPerThread; ++q) {
        if (column + q < n) to[q] = line[q];
      }
    }
  }
}

__global__ __launch_bounds__(256) void persistent_gemm(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c, int m, int n, int k) {
  __shared__ __attribute__((aligned(16))) float tile_a[kTileK * kPitchA];
  __shared__ __attribute__((aligned(16))) float tile_b[kTileK * kTileN];
  const int tile_columns = (n + kTileN - 1) / kTileN;
  const int tiles = (m + kTileM - 1) / kTileM * tile_columns;
  const int thread_row = threadIdx.x / 16 * kPerThread;
  const int thread_column = threadIdx.x % 16 * kPerThread;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int row = tile / tile_columns * kTileM;
    const int column = tile % tile_columns * kTileN;
    float sum[kPerThread][kPerThread] = {};
    for (int step = 0; step < k; step += kTileK) {
      load_a(a, m, k, row, step, tile_a);
      load_b(b, k, n, step, column, tile_b);
      __syncthreads();
      for (int i = 0; i < kTileK; ++i) {
        __attribute__((aligned(16))) float left[kPerThread], right[kPerThread];
        for (int v = 0; v < kPerThread; v += 4) {
          *reinterpret_cast<float4*>(left + v) = *reinterpret_cast<const float4*>(tile_a + i * kPitchA + thread_row + v);
          *reinterpret_cast<float4*>(right + v) = *reinterpret_cast<const float4*>(tile_b + i * kTileN + thread_column + v);
        }
        for (int r = 0; r < kPerThread; ++r) {
          for (int q = 0; q < kPerThread; ++q) sum[r][q] += left[r] * right[q];
        }
      }
      __syncthreads();
    }
    store(c, m, n, row + thread_row, column + thread_column, sum);
  }
}

// C[M,N] = A[M,K] * B[N,K]^T, fp16 with fp32 sums, on the matrix cores of CDNA: a linear layer with its weights as they are stored. A
// workgroup of four waves computes a tile of 128 x 128 in steps of 32 along K; a wave computes 64 x 64 of it as 2 x 2 products of 32 x 32 by
// v_mfma_f32_32x32x8f16. Grid: x counts tile columns, y tile rows.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

typedef _Float16 Operand __attribute__((ext_vector_type(4)));
typedef float Sums __attribute__((ext_vector_type(16)));

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

__global__ __launch_bounds__(256) void matrix_gemm(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c, int m, int n, int k) {
  __shared__ __attribute__((aligned(16))) __half tile_a[kTile * kPitch];
  __shared__ __attribute__((aligned(16))) __half tile_b[kTile * kPitch];
  const int row = blockIdx.y * kTile;
  const int column = blockIdx.x * kTile;
  const int wave_row = threadIdx.x / 128 * 64, wave_column = threadIdx.x / 64 % 2 * 64;
  const int lane = threadIdx.x % 32, half = threadIdx.x / 32 % 2;  // a lane holds four steps along K of one row
  Sums sum[2][2] = {};
  for (int step = 0; step < k; step += kTileK) {
    load_tile(a, m, k, row, step, tile_a);
    load_tile(b, n, k, column, step, tile_b);
    __syncthreads();
    for (int i = half * 4; i < kTileK; i += 8) {
      Operand left[2], right[2];
      for (int s = 0; s < 2; ++s) {
        left[s] = *reinterpret_cast<const Operand*>(tile_a + (wave_row + s * 32 + lane) * kPitch + i);
        right[s] = *reinterpret_cast<const Operand*>(tile_b + (wave_column + s * 32 + lane) * kPitch + i);
      }
      for (int r = 0; r < 2; ++r) {
        for (int q = 0; q < 2; ++q) sum[r][q] = __builtin_amdgcn_mfma_f32_32x32x8f16(left[r], right[q], sum[r][q], 0, 0, 0);
      }
    }
    __syncthreads();
  }
  // Element e of a lane's sums lies in column `lane` and row e / 4 * 8 + half * 4 + e % 4.
  for (int r = 0; r < 2; ++r) {
    for (int q = 0; q < 2; ++q) {
      const int to_column = column + wave_column + q * 32 + lane;
      for (int e = 0; e < 16; ++e) {
        const int to_row = row + wave_row + r * 32 + e / 4 * 8 + half * 4 + e % 4;
        if (to_row < m && to_column < n) c[(long long)to_row * n + to_column] = __half((float)sum[r][q][e]);
      }
    }
  }
}

#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

// C = 2 A * B on matrix cores, tiles of 32 x 32 by 32x32x8 or of 16 x 16 by 16x16x16 instructions.
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef float floatx4 __attribute__((ext_vector_type(4)));

template <int Tile> struct Unit;
template <> struct Unit<32> {
  using Accumulator = float16;
  static constexpr int depth = 8;
  __device__ static Accumulator multiply(half4 a, half4 b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
  }
};
template <> struct Unit<16> {
  using Accumulator = floatx4;
  static constexpr int depth = 16;
  __device__ static Accumulator multiply(half4 a, half4 b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
  }
};

template <int Tile> __global__ void gemm(const _Float16* a, const _Float16* b, float* c, int M, int N, int K) {
  const int row = blockIdx.y * Tile, column = blockIdx.x * Tile;
  const int lane = threadIdx.x % Tile, group = threadIdx.x / Tile;
  typename Unit<Tile>::Accumulator sum = {};
  for (int k0 = 0; k0 < K; k0 += Unit<Tile>::depth) {
    half4 x, y;
    for (int j = 0; j < 4; ++j) {
      const int k = k0 + 4 * group + j;
      x[j] = a[(row + lane) * K + k];
      y[j] = b[k * N + column + lane];
    }
    sum = Unit<Tile>::multiply(x, y, sum);
  }
  for (int r = 0; r < Tile * Tile / 64; ++r)
    c[(row + r / 4 * 4 * (64 / Tile) + 4 * group + r % 4) * N + column + lane] = 2.0f * sum[r];
}
template __global__ void gemm<32>(const _Float16*, const _Float16*, float*, int, int, int);
template __global__ void gemm<16>(const _Float16*, const _Float16*, float*, int, int, int);

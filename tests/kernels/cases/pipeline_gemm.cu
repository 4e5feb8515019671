// C = A * B with tiles that are copied in the background into two halves of dynamic shared memory.
#include <cuda_pipeline.h>

constexpr int kTile = 16;

__global__ void gemm(const float* a, const float* b, float* c, int M, int N, int K) {
  extern __shared__ __align__(16) unsigned char memory[];
  float* tiles_a = reinterpret_cast<float*>(memory);
  float* tiles_b = tiles_a + 2 * kTile * kTile;
  const int tx = threadIdx.x % kTile, ty = threadIdx.x / kTile;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const auto load = [&](int stage, int k0) {
    if (threadIdx.x < 64) {
      const int y = threadIdx.x / 4, x = threadIdx.x % 4 * 4;
      __pipeline_memcpy_async(&tiles_a[(stage * kTile + y) * kTile + x], &a[(row + y) * K + k0 + x], 16);
      __pipeline_memcpy_async(&tiles_b[(stage * kTile + y) * kTile + x], &b[(k0 + y) * N + column + x], 16);
    }
    __pipeline_commit();
  };
  float sum = 0;
  load(0, 0);
  for (int k0 = 0; k0 < K; k0 += kTile) {
    const int stage = k0 / kTile % 2;
    if (k0 + kTile < K) load(1 - stage, k0 + kTile);
    __pipeline_wait_prior(k0 + kTile < K ? 1 : 0);
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += tiles_a[(stage * kTile + ty) * kTile + k] * tiles_b[(stage * kTile + k) * kTile + tx];
    __syncthreads();
  }
  c[(row + ty) * N + column + tx] = sum;
}

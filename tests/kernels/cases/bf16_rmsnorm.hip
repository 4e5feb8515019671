#include <hip/hip_bf16.h>
#include <hip/hip_runtime.h>

// RMS norm of rows of bfloat16, eight elements a load.
union Pack {
  uint4 raw;
  __hip_bfloat16 v[8];
};

__global__ void rmsnorm(const __hip_bfloat16* m, __hip_bfloat16* out, int columns) {
  __shared__ float sums[4];
  const uint4* row = reinterpret_cast<const uint4*>(m + (size_t)blockIdx.x * columns);
  uint4* to = reinterpret_cast<uint4*>(out + (size_t)blockIdx.x * columns);
  float sum = 0;
  for (int i = threadIdx.x; i < columns / 8; i += blockDim.x) {
    Pack p;
    p.raw = row[i];
    for (int j = 0; j < 8; ++j) {
      const float f = __bfloat162float(p.v[j]);
      sum += f * f;
    }
  }
  for (int x = 32; x > 0; x >>= 1) sum += __shfl_xor(sum, x);
  if (threadIdx.x % 64 == 0) sums[threadIdx.x / 64] = sum;
  __syncthreads();
  sum = sums[0] + sums[1];
  const float scale = rsqrtf(sum / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns / 8; i += blockDim.x) {
    Pack p;
    p.raw = row[i];
    for (int j = 0; j < 8; ++j) p.v[j] = __float2bfloat16(__bfloat162float(p.v[j]) * scale);
    to[i] = p.raw;
  }
}

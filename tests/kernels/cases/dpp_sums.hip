// Sums of 64 neighbours by data-parallel primitives: rows of 16 lanes are summed by shifts, then broadcast from row to row. Lane 63 holds
// the sum of its wave.
#include <hip/hip_runtime.h>

constexpr int kWave = 64;

__device__ int wave_sum(int v) {
  v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, false);  // row_shr:1
  v += __builtin_amdgcn_update_dpp(0, v, 0x112, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x114, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x118, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x142, 0xa, 0xf, false);  // row_bcast:15 into rows 1 and 3
  v += __builtin_amdgcn_update_dpp(0, v, 0x143, 0xc, 0xf, false);  // row_bcast:31 into rows 2 and 3
  return v;
}

extern "C" __global__ void sums(const int* in, int* out, int n) {
  HIP_DYNAMIC_SHARED(int, partial)
  const int row = blockIdx.x;
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[row * n + i];
  sum = wave_sum(sum);
  if (threadIdx.x % kWave == kWave - 1) partial[threadIdx.x / kWave] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < (int)blockDim.x / kWave; ++w) total += partial[w];
    out[row] = total;
  }
}

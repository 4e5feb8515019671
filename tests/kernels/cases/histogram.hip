#include <hip/hip_runtime.h>

// Counts in shared memory first, then added to the whole: the order of workgroups does not show.
__global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned local[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i] & 63], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
}

#include <hip/hip_runtime.h>

// Running sums inside pieces of 256 elements: Hillis and Steele in shared memory, with barriers in the loop.
__global__ void scan(const int* in, int* out, int n) {
  __shared__ int buffer[2][256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  int from = 0;
  buffer[0][threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < 256; d <<= 1) {
    const int v = buffer[from][threadIdx.x];
    buffer[1 - from][threadIdx.x] = threadIdx.x >= d ? v + buffer[from][threadIdx.x - d] : v;
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = buffer[from][threadIdx.x];
}

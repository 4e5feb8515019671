// y = a * x + y by a grid-stride loop, the index through a helper.
__device__ __forceinline__ int global_thread() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const int stride = blockDim.x * gridDim.x;
  for (int i = global_thread(); i < n; i += stride) y[i] = a * x[i] + y[i];
}

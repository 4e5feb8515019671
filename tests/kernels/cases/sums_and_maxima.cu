// Sums in float and double, a maximum by way of the bits of positive floats, and a bit mask, all by atomics.
__global__ void reduce(const float* x, float* sum, double* sum_of_squares, int* largest, unsigned long long* seen, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  atomicAdd(sum, v);
  atomicAdd(sum_of_squares, (double)v * v);
  atomicMax(largest, __float_as_int(fabsf(v)));
  atomicOr(seen, 1ull << (i % 50));
}

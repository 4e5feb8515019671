#include <hip/hip_runtime.h>

// The largest element of each row: a reduction over waves of 64, with the operation as a functor.
struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
  static constexpr float identity = -3.4e38f;
};

template <class Op> __device__ float wave_reduce(float v, Op op) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v = op(v, __shfl_down(v, offset));
  return v;
}

template <int Threads, class Op> __device__ float block_reduce(float v, Op op) {
  __shared__ float waves[Threads / 64];
  v = wave_reduce(v, op);
  if (threadIdx.x % 64 == 0) waves[threadIdx.x / 64] = v;
  __syncthreads();
  v = threadIdx.x < Threads / 64 ? waves[threadIdx.x] : Op::identity;
  return threadIdx.x < 64 ? wave_reduce(v, op) : v;
}

__global__ void row_maxima(const float* m, float* out, int columns) {
  float best = Max::identity;
  for (int i = threadIdx.x; i < columns; i += 256) best = Max()(best, m[blockIdx.x * columns + i]);
  best = block_reduce<256>(best, Max());
  if (threadIdx.x == 0) out[blockIdx.x] = best;
}

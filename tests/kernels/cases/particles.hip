#include <hip/hip_runtime.h>

// Particles of three floats are turned about an axis; the index of the launch is three-dimensional and passed by value.
struct Launch {
  uint3 block, thread;
  dim3 size;
};

__device__ Launch launch() {
  return {blockIdx, threadIdx, blockDim};
}
__device__ int linear(Launch l) {
  return ((l.block.z * gridDim.y + l.block.y) * gridDim.x + l.block.x) * (int)l.size.x + l.thread.x;
}

__global__ void turn(const float3* in, float3* out, float angle, int n) {
  const int i = linear(launch());
  if (i >= n) return;
  float s, c;
  sincosf(angle, &s, &c);
  const float3 p = in[i];
  out[i] = make_float3(c * p.x - s * p.y, s * p.x + c * p.y, tanhf(p.z));
}

// Softmax over the rows of an fp16 matrix, in fp32: y = exp(x - max) / sum(exp(x - max)). A workgroup of 1024 threads takes one row of up
// to 32768 columns and keeps it in registers, 32 elements a thread: memory is read once.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kThreads = 1024;
constexpr int kWave = 64;
constexpr int kVector = 8;
constexpr int kVectors = 4;  // a thread
constexpr float kLowest = -3.0e38f;

__device__ float maximum_of_workgroup(float value, float* scratch) {
  for (int distance = kWave / 2; distance > 0; distance /= 2) value = fmaxf(value, __shfl_xor(value, distance));
  if (threadIdx.x % kWave == 0) scratch[threadIdx.x / kWave] = value;
  __syncthreads();
  for (int wave = 0; wave < kThreads / kWave; ++wave) value = fmaxf(value, scratch[wave]);
  return value;
}

__device__ float sum_of_workgroup(float value, float* scratch) {
  for (int distance = kWave / 2; distance > 0; distance /= 2) value += __shfl_xor(value, distance);
  if (threadIdx.x % kWave == 0) scratch[threadIdx.x / kWave] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int wave = 0; wave < kThreads / kWave; ++wave) sum += scratch[wave];
  return sum;
}

__global__ __launch_bounds__(1024) void softmax(const __half* __restrict__ x, __half* __restrict__ y, int columns) {
  __shared__ float scratch[2][kThreads / kWave];
  const __half* in = x + (long long)blockIdx.x * columns;
  __half* out = y + (long long)blockIdx.x * columns;
  const bool vectors = columns % kVector == 0;  // then vector i of this thread is number i * kThreads + threadIdx.x of the row

  float values[kVectors][kVector];
  float maximum = kLowest;
  for (int i = 0; i < kVectors; ++i) {
    if (vectors) {
      const int at = (i * kThreads + threadIdx.x) * kVector;
      float4 raw;
      if (at < columns) raw = *reinterpret_cast<const float4*>(in + at);
      for (int k = 0; k < kVector; ++k) values[i][k] = at < columns ? (float)reinterpret_cast<const __half*>(&raw)[k] : kLowest;
    } else {
      for (int k = 0; k < kVector; ++k) {
        const int at = (i * kVector + k) * kThreads + threadIdx.x;
        values[i][k] = at < columns ? (float)in[at] : kLowest;
      }
    }
    for (int k = 0; k < kVector; ++k) maximum = fmaxf(maximum, values[i][k]);
  }
  maximum = maximum_of_workgroup(maximum, scratch[0]);

  float sum = 0.0f;
  for (int i = 0; i < kVectors; ++i) {
    for (int k = 0; k < kVector; ++k) {
      values[i][k] = __expf(values[i][k] - maximum);
      sum += values[i][k];
    }
  }
  const float scale = 1.0f / sum_of_workgroup(sum, scratch[1]);

  for (int i = 0; i < kVectors; ++i) {
    if (vectors) {
      const int at = (i * kThreads + threadIdx.x) * kVector;
      float4 packed;
      for (int k = 0; k < kVector; ++k) reinterpret_cast<__half*>(&packed)[k] = __half(values[i][k] * scale);
      if (at < columns) *reinterpret_cast<float4*>(out + at) = packed;
    } else {
      for (int k = 0; k < kVector; ++k) {
        const int at = (i * kVector + k) * kThreads + threadIdx.x;
        if (at < columns) out[at] = __half(values[i][k] * scale);
      }
    }
  }
}

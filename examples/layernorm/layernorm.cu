// LayerNorm of an fp16 matrix: y = (x - mean) / sqrt(variance + epsilon) * weight + bias over each row, in fp32. A workgroup of 1024
// threads takes one row of up to 32768 columns and keeps it in registers, 32 elements a thread: the matrix is read once.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 1024;
constexpr int kWave = 32;
constexpr int kVector = 8;
constexpr int kVectors = 4;  // a thread

// The sum over the workgroup, in every thread.
__device__ float sum_of_workgroup(float value, float* scratch) {
  for (int distance = kWave / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  if (threadIdx.x % kWave == 0) scratch[threadIdx.x / kWave] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int wave = 0; wave < kThreads / kWave; ++wave) sum += scratch[wave];
  return sum;
}

// Element k of this thread's vector i: rows of whole 16-byte vectors are cut into those, others into single elements.
__device__ int column_of(int i, int k, bool vectors) {
  return vectors ? (i * kThreads + threadIdx.x) * kVector + k : (i * kVector + k) * kThreads + threadIdx.x;
}

// Vector i of this thread; what lies behind the row is zero.
__device__ void load(const __half* row, int i, int columns, bool vectors, __half* values) {
  const int at = column_of(i, 0, vectors);
  if (vectors) {
    float4 raw = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (at < columns) raw = *reinterpret_cast<const float4*>(row + at);
    *reinterpret_cast<float4*>(values) = raw;
  } else {
    for (int k = 0; k < kVector; ++k) values[k] = column_of(i, k, false) < columns ? row[column_of(i, k, false)] : __half(0.0f);
  }
}

__global__ __launch_bounds__(1024) void layernorm(const __half* __restrict__ x, const __half* __restrict__ weight, const __half* __restrict__ bias,
                                                  __half* __restrict__ y, int columns, float epsilon) {
  __shared__ float scratch[2][kThreads / kWave];
  const __half* in = x + (long long)blockIdx.x * columns;
  __half* out = y + (long long)blockIdx.x * columns;
  const bool vectors = columns % kVector == 0;

  __attribute__((aligned(16))) __half values[kVectors][kVector];
  float sum = 0.0f;
  for (int i = 0; i < kVectors; ++i) {
    load(in, i, columns, vectors, values[i]);
    for (int k = 0; k < kVector; ++k) sum += (float)values[i][k];
  }
  const float mean = sum_of_workgroup(sum, scratch[0]) / columns;

  float squares = 0.0f;
  for (int i = 0; i < kVectors; ++i) {
    for (int k = 0; k < kVector; ++k) {
      const float off = (float)values[i][k] - mean;
      if (column_of(i, k, vectors) < columns) squares += off * off;
    }
  }
  const float scale = rsqrtf(sum_of_workgroup(squares, scratch[1]) / columns + epsilon);

  for (int i = 0; i < kVectors; ++i) {
    if (column_of(i, 0, vectors) >= columns) return;
    __attribute__((aligned(16))) __half weights[kVector], biases[kVector], results[kVector];
    load(weight, i, columns, vectors, weights);
    load(bias, i, columns, vectors, biases);
    for (int k = 0; k < kVector; ++k) results[k] = __half(((float)values[i][k] - mean) * scale * (float)weights[k] + (float)biases[k]);
    if (vectors) {
      *reinterpret_cast<float4*>(out + column_of(i, 0, true)) = *reinterpret_cast<const float4*>(results);
    } else {
      for (int k = 0; k < kVector; ++k) {
        if (column_of(i, k, false) < columns) out[column_of(i, k, false)] = results[k];
      }
    }
  }
}

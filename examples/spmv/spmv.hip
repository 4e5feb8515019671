// y = A * x for a sparse matrix in CSR form, fp16 values, int32 indices, fp32 sums. A workgroup of 256 threads takes four rows, 64 threads
// a row; lanes of a wave read neighbouring entries of the row.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kThreads = 256;
constexpr int kWave = 64;
constexpr int kLanes = 64;  // a row
constexpr int kRows = kThreads / kLanes;

__global__ __launch_bounds__(256) void spmv(const int* __restrict__ row_begin, const int* __restrict__ columns, const __half* __restrict__ values,
                                            const __half* __restrict__ x, __half* __restrict__ y, int rows) {
  __shared__ float partial[kThreads / kWave];
  const int row = blockIdx.x * kRows + threadIdx.x / kLanes;
  float sum = 0.0f;
  if (row < rows) {
    const int end = row_begin[row + 1];
    for (int i = row_begin[row] + threadIdx.x % kLanes; i < end; i += kLanes) sum += (float)values[i] * (float)x[columns[i]];
  }
  for (int distance = kWave / 2; distance > 0; distance /= 2) sum += __shfl_xor(sum, distance);
  if (threadIdx.x % kWave == 0) partial[threadIdx.x / kWave] = sum;
  __syncthreads();
  if (row < rows && threadIdx.x % kLanes == 0) {
    sum = 0.0f;
    for (int wave = 0; wave < kLanes / kWave; ++wave) sum += partial[threadIdx.x / kWave + wave];
    y[row] = __half(sum);
  }
}

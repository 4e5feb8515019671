// A sum for each row: warps reduce by shuffles, with a mask of the lanes that have an element.
#define FULL 0xffffffffu

__global__ void row_sums(const float* m, float* sums, int columns) {
  const float* row = m + (size_t)blockIdx.x * columns;
  __shared__ float partial[8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned active = __ballot_sync(FULL, (int)threadIdx.x < columns);
  float sum = 0;
  if ((int)threadIdx.x < columns) {
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i];
    const int live = __popc(active);
    for (int offset = 16; offset > 0; offset >>= 1) {
      const float other = __shfl_down_sync(active, sum, offset);
      if (lane + offset < live) sum += other;
    }
  }
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    float total = lane < (int)(blockDim.x >> 5) ? partial[lane] : 0.f;
    for (int x = 4; x > 0; x /= 2) total += __shfl_xor_sync(FULL, total, x, 8);
    if (lane == 0) sums[blockIdx.x] = total;
  }
}

// A 5 x 5 blur with weights in constant memory and a tile with a halo; offsets come from a table in the source.
#define RADIUS 2
#define SIDE 16

__constant__ float weights[2 * RADIUS + 1] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
__device__ const int offsets[2 * RADIUS + 1] = {-2, -1, 0, 1, 2};

__global__ void blur(const float* in, float* out, int width, int height) {
  __shared__ float tile[SIDE + 2 * RADIUS][SIDE + 2 * RADIUS];
  const int x0 = blockIdx.x * SIDE - RADIUS, y0 = blockIdx.y * SIDE - RADIUS;
  for (int y = threadIdx.y; y < SIDE + 2 * RADIUS; y += blockDim.y) {
    for (int x = threadIdx.x; x < SIDE + 2 * RADIUS; x += blockDim.x) {
      const int gx = min(max(x0 + x, 0), width - 1), gy = min(max(y0 + y, 0), height - 1);
      tile[y][x] = in[gy * width + gx];
    }
  }
  __syncthreads();
  const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < 2 * RADIUS + 1; ++j)
    for (int i = 0; i < 2 * RADIUS + 1; ++i)
      sum += weights[i] * weights[j] * tile[threadIdx.y + RADIUS + offsets[j]][threadIdx.x + RADIUS + offsets[i]];
  out[y * width + x] = sum;
}

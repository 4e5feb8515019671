// C = A * B in tiles of 16 x 16, which a grouped order of the linear id picks already.
#define TILE 16
#define GROUP 4

struct TileId {
  int row, column;
};

__device__ inline TileId grouped(unsigned id, unsigned tiles_m, unsigned tiles_n) {
  const unsigned per_group = GROUP * tiles_n;
  const unsigned first = id / per_group * GROUP;
  const unsigned rows = min(tiles_m - first, (unsigned)GROUP);
  return {(int)(first + id % per_group % rows), (int)(id % per_group / rows)};
}

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  const TileId tile = grouped(blockIdx.x, (M + TILE - 1) / TILE, (N + TILE - 1) / TILE);
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = tile.row * TILE + y, column = tile.column * TILE + x;
  float sum = 0.f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.f;
    Bs[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : 0.f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += As[y][k] * Bs[k][x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}

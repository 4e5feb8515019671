// C = A * B on tensor cores: a warp computes a tile of 16 x 16. B is read by columns through shared memory.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void gemm(const half* a, const half* b, float* c, int M, int N, int K) {
  __shared__ half columns[16 * 16];
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < K; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) columns[i % 16 * 16 + i / 16] = b[(k + i / 16) * N + column + i % 16];
    __syncwarp();
    wmma::load_matrix_sync(fa, a + row * K + k, K);
    wmma::load_matrix_sync(fb, columns, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
  }
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2.0f;
  wmma::store_matrix_sync(c + row * N + column, fc, N, wmma::mem_row_major);
}

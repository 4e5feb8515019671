// Softmax of short rows: a tile of 16 threads a row.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void softmax(const float* m, float* out, int columns, int rows) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int row = blockIdx.x * (block.size() / tile.size()) + tile.meta_group_rank();
  if (row >= rows) return;
  float largest = -INFINITY;
  for (int i = tile.thread_rank(); i < columns; i += tile.size()) largest = fmaxf(largest, m[row * columns + i]);
  largest = cg::reduce(tile, largest, cg::greater<float>());
  float sum = 0;
  for (int i = tile.thread_rank(); i < columns; i += tile.size()) sum += __expf(m[row * columns + i] - largest);
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_xor(sum, offset);
  for (int i = tile.thread_rank(); i < columns; i += tile.size())
    out[row * columns + i] = __expf(m[row * columns + i] - largest) / sum;
}

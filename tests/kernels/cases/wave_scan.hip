#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

// The same by waves: shuffles inside a wave, then the sums of the waves before it.
namespace cg = cooperative_groups;

__global__ void scan(const int* in, int* out, int n) {
  __shared__ int waves[4];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int i = blockIdx.x * 256 + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (unsigned d = 1; d < tile.size(); d *= 2) {
    const int other = tile.shfl_up(v, d);
    if (tile.thread_rank() >= d) v += other;
  }
  if (tile.thread_rank() == 63) waves[tile.meta_group_rank()] = v;
  cg::this_thread_block().sync();
  for (unsigned w = 0; w < tile.meta_group_rank(); ++w) v += waves[w];
  if (i < n) out[i] = v;
}

// Votes of warps and workgroups: how many lanes share a key, sums over the warp, and what all threads agree on.
__global__ void votes(const int* keys, int* peers, int* sums, int* flags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int key = keys[i];
  peers[i] = __popc(__match_any_sync(0xffffffff, key));
  sums[i] = __reduce_add_sync(0xffffffff, key) + __reduce_max_sync(0xffffffff, key);
  const int all = __syncthreads_and(key < 4), any = __syncthreads_or(key == 0), count = __syncthreads_count(key == 1);
  const bool warp_any = __any_sync(0xffffffff, key == 3), warp_all = __all_sync(0xffffffff, key != 3);
  if (threadIdx.x == 0) flags[blockIdx.x] = all + 2 * any + 4 * (warp_any != warp_all) + 8 * count;
}

// Each workgroup packs the positive elements of its 128 to the front of its piece and says how many there are.
__global__ void compact(const int* in, int* out, int* counts) {
  __shared__ int base[4];
  const int at = blockIdx.x * 128 + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int value = in[at];
  const bool keep = value > 0;
  const unsigned ballot = __ballot_sync(0xffffffff, keep);
  if (lane == 0) base[warp] = __popc(ballot);
  const int total = __syncthreads_count(keep);
  int before = 0;
  for (int w = 0; w < warp; ++w) before += base[w];
  if (keep) out[blockIdx.x * 128 + before + __popc(ballot & ((1u << lane) - 1))] = value;
  if ((int)threadIdx.x >= total) out[blockIdx.x * 128 + threadIdx.x] = 0;
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

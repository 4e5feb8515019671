// Counts how often each byte value occurs. A workgroup of 256 threads counts 64 KiB in shared memory and adds its counts to the result at the
// end: 256 atomics for each 65536 bytes.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kBins = 256;
constexpr int kChunk = 65536;

__global__ __launch_bounds__(256) void histogram(const unsigned char* __restrict__ data, unsigned* bins, long long n) {
  __shared__ unsigned counts[kBins];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const long long first = (long long)blockIdx.x * kChunk;
  for (int i = threadIdx.x * 16; i < kChunk; i += kThreads * 16) {
    if (first + i + 16 <= n) {
      const int4 raw = *reinterpret_cast<const int4*>(data + first + i);
      const unsigned words[4] = {(unsigned)raw.x, (unsigned)raw.y, (unsigned)raw.z, (unsigned)raw.w};
      for (int w = 0; w < 4; ++w) {
        for (int shift = 0; shift < 32; shift += 8) atomicAdd(&counts[words[w] >> shift & 255], 1u);
      }
    } else {
      for (long long at = first + i; at < n && at < first + i + 16; ++at) atomicAdd(&counts[data[at]], 1u);
    }
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

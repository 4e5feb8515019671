// A gather that asserts its indices and reports what it meets.
#include <cassert>
#include <cstdio>

__global__ void gather(const int* index, const float* table, float* out, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int at = index[i];
  assert(at >= 0 && at < size);
  if (at == 0) printf("element %d takes the first entry, %f\n", i, table[at]);
  out[i] = __ldg(&table[at]);
}

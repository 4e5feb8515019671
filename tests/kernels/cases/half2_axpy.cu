#include <cuda_fp16.h>

// y = a * x + y on pairs of halves, the odd element at the end by itself; and the largest magnitude of each pair.
__global__ void axpy(const __half* x, __half* y, float* largest, float a, int n) {
  const half2* x2 = reinterpret_cast<const half2*>(x);
  half2* y2 = reinterpret_cast<half2*>(y);
  const half2 a2 = __float2half2_rn(a);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const half2 r = __hfma2(a2, x2[i], y2[i]);
    y2[i] = r;
    const float2 f = __half22float2(r);
    largest[i] = fmaxf(fabsf(f.x), fabsf(f.y));
  }
  if (i == 0 && n % 2 != 0) {
    const __half r = __hfma(__low2half(a2), x[n - 1], y[n - 1]);
    y[n - 1] = r;
    largest[n / 2] = __half2float(__habs(r));
  }
}

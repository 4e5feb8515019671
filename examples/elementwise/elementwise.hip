// out = relu(x * y + z) in fp16, 1024 elements a workgroup. Every line belongs to one workgroup: no order can save traffic.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kTile = 1024;
constexpr int kThreads = 256;

__global__ void fused_elementwise(const __half* x, const __half* y, const __half* z, __half* out, int n) {
  for (int i = threadIdx.x; i < kTile; i += kThreads) {
    const int at = blockIdx.x * kTile + i;
    if (at < n) {
      const float value = (float)x[at] * (float)y[at] + (float)z[at];
      out[at] = __half(value > 0.0f ? value : 0.0f);
    }
  }
}

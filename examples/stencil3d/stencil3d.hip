// 7-point stencil in three dimensions, fp32: out = 0.4 * centre + 0.1 * (the six neighbours), zero outside; x is contiguous. A workgroup
// of 32 x 8 threads walks through 32 planes along z and keeps the three of a column in registers; neighbours in the plane come from the L1.
// Grid: x, y and z count tiles of 32, 8 and 32.
#include <hip/hip_runtime.h>

constexpr int kX = 32;
constexpr int kY = 8;
constexpr int kZ = 32;

__global__ __launch_bounds__(256) void stencil3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz) {
  const int x = blockIdx.x * kX + threadIdx.x;
  const int y = blockIdx.y * kY + threadIdx.y;
  const int first = blockIdx.z * kZ;
  const int end = min(first + kZ, nz);
  if (x >= nx || y >= ny) return;
  const long long plane = (long long)nx * ny;
  long long at = first * plane + (long long)y * nx + x;
  float below = first > 0 ? in[at - plane] : 0.0f;
  float here = in[at];
  for (int z = first; z < end; ++z) {
    const float above = z + 1 < nz ? in[at + plane] : 0.0f;
    const float left = x > 0 ? in[at - 1] : 0.0f;
    const float right = x + 1 < nx ? in[at + 1] : 0.0f;
    const float front = y > 0 ? in[at - nx] : 0.0f;
    const float back = y + 1 < ny ? in[at + nx] : 0.0f;
    out[at] = 0.4f * here + 0.1f * (below + above + left + right + front + back);
    below = here;
    here = above;
    at += plane;
  }
}

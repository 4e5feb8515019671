// 2-D convolution, 3 x 3, stride 1, zero padding, as an implicit GEMM: in [image, row, column, channel], filter [r, s, channel, k], out
// [image, row, column, k], fp16 with fp32 sums. A workgroup of 256 threads takes a strip of whole image rows, at most 128 pixels, and 64 of
// the filters; the product runs over (r, s, channel) in steps of 32 channels. Operands lie in shared memory as fp32, pixels transposed; a
// thread computes 8 pixels x 4 filters. Grid: x counts filter blocks, y strips, z images.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kPixels = 128;
constexpr int kFilters = 64;
constexpr int kChannels = 32;
constexpr int kThreads = 256;
constexpr int kVector = 8;
constexpr int kPitch = kPixels + 4;  // spreads the columns of the transposed tile over the banks

// Eight elements from `at` on, of which `count` exist; the others are zero. Vectors need aligned rows.
__device__ void load_vector(const __half* from, long long at, int count, bool aligned, __half* to) {
  if (aligned && count >= kVector) {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from + at);
  } else {
    for (int v = 0; v < kVector; ++v) to[v] = v < count ? from[at + v] : __half(0.0f);
  }
}

__global__ __launch_bounds__(256) void conv2d(const __half* __restrict__ in, const __half* __restrict__ filter, __half* __restrict__ out, int height, int width,
                                              int channels, int filters, int strip) {
  __shared__ __attribute__((aligned(16))) float pixels[kChannels * kPitch];
  __shared__ __attribute__((aligned(16))) float weights[kChannels * kFilters];
  const long long image = (long long)blockIdx.z * height * width;
  const int first_row = blockIdx.y * strip;
  const int first_filter = blockIdx.x * kFilters;
  const int count = min(strip, height - first_row) * width;
  const int thread_pixel = threadIdx.x / 16 * 8;
  const int thread_filter = threadIdx.x % 16 * 4;
  float sum[8][4] = {};
  for (int tap = 0; tap < 9; ++tap) {
    for (int channel = 0; channel < channels; channel += kChannels) {
      for (int i = threadIdx.x; i < kPixels * kChannels / kVector; i += kThreads) {
        const int pixel = i / (kChannels / kVector), c = i % (kChannels / kVector) * kVector;
        const int row = first_row + pixel / width + tap / 3 - 1, column = pixel % width + tap % 3 - 1;
        const bool inside = pixel < count && row >= 0 && row < height && column >= 0 && column < width;
        __attribute__((aligned(16))) __half values[kVector];
        load_vector(in, (image + (long long)row * width + column) * channels + channel + c, inside ? channels - channel - c : 0, channels % kVector == 0, values);
        for (int v = 0; v < kVector; ++v) pixels[(c + v) * kPitch + pixel] = (float)values[v];
      }
      for (int i = threadIdx.x; i < kChannels * kFilters / kVector; i += kThreads) {
        const int c = i / (kFilters / kVector), f = i % (kFilters / kVector) * kVector;
        __attribute__((aligned(16))) __half values[kVector];
        load_vector(filter, ((long long)tap * channels + channel + c) * filters + first_filter + f, channel + c < channels ? filters - first_filter - f : 0,
                    filters % kVector == 0, values);
        for (int v = 0; v < kVector; ++v) weights[c * kFilters + f + v] = (float)values[v];
      }
      __syncthreads();
      for (int c = 0; c < kChannels; ++c) {
        __attribute__((aligned(16))) float left[8], right[4];
        *reinterpret_cast<float4*>(left) = *reinterpret_cast<const float4*>(pixels + c * kPitch + thread_pixel);
        *reinterpret_cast<float4*>(left + 4) = *reinterpret_cast<const float4*>(pixels + c * kPitch + thread_pixel + 4);
        *reinterpret_cast<float4*>(right) = *reinterpret_cast<const float4*>(weights + c * kFilters + thread_filter);
        for (int p = 0; p < 8; ++p) {
          for (int f = 0; f < 4; ++f) sum[p][f] += left[p] * right[f];
        }
      }
      __syncthreads();
    }
  }
  for (int p = 0; p < 8; ++p) {
    if (thread_pixel + p >= count) return;
    __half* to = out + (image + (long long)first_row * width + thread_pixel + p) * filters + first_filter + thread_filter;
    __attribute__((aligned(8))) __half line[4];
    for (int f = 0; f < 4; ++f) line[f] = __half(sum[p][f]);
    if (filters % 4 == 0 && first_filter + thread_filter + 4 <= filters) {
      *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(line);
    } else {
      for (int f = 0; f < 4; ++f) {
        if (first_filter + thread_filter + f < filters) to[f] = line[f];
      }
    }
  }
}

// Pixels of 5, 6 and 5 bits are blended by a mode that a switch picks.
struct Pixel {
  unsigned short blue : 5;
  unsigned short green : 6;
  unsigned short red : 5;
};
union Word {
  unsigned short bits;
  Pixel pixel;
};
enum Mode { kAverage, kDarker, kLighter, kInvert };

__device__ unsigned blend(unsigned a, unsigned b, unsigned most, int mode) {
  switch (mode) {
    case kAverage:
      return (a + b) / 2;
    case kDarker:
      return min(a, b);
    case kLighter:
      return max(a, b);
    default:
      return most - a;
  }
}

__global__ void blend_pixels(const unsigned short* a, const unsigned short* b, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Word x, y, r;
  x.bits = a[i];
  y.bits = b[i];
  const int mode = i % 4;
  r.pixel.red = blend(x.pixel.red, y.pixel.red, 31, mode);
  r.pixel.green = blend(x.pixel.green, y.pixel.green, 63, mode);
  r.pixel.blue = blend(x.pixel.blue, y.pixel.blue, 31, mode);
  out[i] = r.bits;
}

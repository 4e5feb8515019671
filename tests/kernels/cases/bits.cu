// A hash from integer intrinsics.
__global__ void mix(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i];
  unsigned h = __brev(v) ^ __funnelshift_l(v, ~v, 7) ^ __byte_perm(v, v * 3u, 0x2570);
  h += __popc(v) + __clz((int)v) + __ffs((int)v);
  out[i] = __umulhi(h, 0x9e3779b9u) + (unsigned)__float2int_rn(__uint2float_rn(v & 0xffffu) * 0.25f);
}

// Casts of bits and integer functions. Shared by the CPU and the device headers.
#pragma once

SP_FN int __float_as_int(float f) { int i; __builtin_memcpy(&i, &f, 4); return i; }
SP_FN unsigned __float_as_uint(float f) { unsigned i; __builtin_memcpy(&i, &f, 4); return i; }
SP_FN float __int_as_float(int i) { float f; __builtin_memcpy(&f, &i, 4); return f; }
SP_FN float __uint_as_float(unsigned i) { float f; __builtin_memcpy(&f, &i, 4); return f; }
SP_FN long long __double_as_longlong(double d) { long long i; __builtin_memcpy(&i, &d, 8); return i; }
SP_FN double __longlong_as_double(long long i) { double d; __builtin_memcpy(&d, &i, 8); return d; }
SP_FN int __double2hiint(double d) { return (int)(__double_as_longlong(d) >> 32); }
SP_FN int __double2loint(double d) { return (int)__double_as_longlong(d); }
SP_FN double __hiloint2double(int hi, int lo) { return __longlong_as_double(((long long)hi << 32) | (unsigned)lo); }
SP_FN int __popc(unsigned v) { return __builtin_popcount(v); }
SP_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
SP_FN int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
SP_FN int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
SP_FN int __ffs(int v) { return __builtin_ffs(v); }
SP_FN int __ffsll(long long v) { return __builtin_ffsll(v); }
SP_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
SP_FN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
SP_FN int __mul24(int a, int b) { return a * b; }
SP_FN unsigned __umul24(unsigned a, unsigned b) { return a * b; }
SP_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
SP_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
SP_FN long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
SP_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)(((unsigned __int128)a * b) >> 64); }
SP_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
SP_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
SP_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
SP_FN unsigned __sad(int a, int b, unsigned c) { return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c; }
SP_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  shift &= 31;
  return shift == 0 ? hi : (hi << shift) | (lo >> (32 - shift));
}
SP_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  shift &= 31;
  return shift == 0 ? lo : (lo >> shift) | (hi << (32 - shift));
}
SP_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) { return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift); }
SP_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) { return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift); }
// Each selector nibble picks one of the eight bytes of (b, a); its highest bit spreads that byte's sign.
SP_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = ((unsigned long long)b << 32) | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = (selector >> (4 * i)) & 15u;
    unsigned byte = (unsigned)(bytes >> (8 * (nibble & 7u))) & 255u;
    if ((nibble & 8u) != 0) byte = (byte & 128u) != 0 ? 255u : 0u;
    result |= byte << (8 * i);
  }
  return result;
}
SP_FN int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += (int)(signed char)(a >> (8 * i)) * (int)(signed char)(b >> (8 * i));
  return c;
}
SP_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += ((a >> (8 * i)) & 255u) * ((b >> (8 * i)) & 255u);
  return c;
}
SP_FN float __int2float_rn(int i) { return (float)i; }
SP_FN float __uint2float_rn(unsigned i) { return (float)i; }
SP_FN double __int2double_rn(int i) { return (double)i; }
SP_FN float __ll2float_rn(long long i) { return (float)i; }
SP_FN float __double2float_rn(double d) { return (float)d; }
SP_FN int __float2int_rz(float f) { return (int)f; }
SP_FN int __float2int_rn(float f) { return (int)__builtin_rintf(f); }
SP_FN int __float2int_rd(float f) { return (int)__builtin_floorf(f); }
SP_FN int __float2int_ru(float f) { return (int)__builtin_ceilf(f); }
SP_FN unsigned __float2uint_rz(float f) { return (unsigned)f; }
SP_FN unsigned __float2uint_rn(float f) { return (unsigned)__builtin_rintf(f); }
SP_FN int __double2int_rz(double d) { return (int)d; }
SP_FN int __double2int_rn(double d) { return (int)__builtin_rint(d); }

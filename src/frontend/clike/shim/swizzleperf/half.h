// half and bfloat16: stored in 16 bits, computed in float. Shared by the CPU and the device headers.
#pragma once

struct __half {
  _Float16 v;
  __half() = default;
  template <class T, typename sp_only<__is_arithmetic(T)>::type = 0> SP_FN constexpr __half(T f) : v((_Float16)f) {}
  SP_FN constexpr operator float() const { return (float)v; }
};
typedef __half half;

struct sp_bf16 {
  unsigned short bits;
  sp_bf16() = default;
  template <class T, typename sp_only<__is_arithmetic(T)>::type = 0> SP_FN sp_bf16(T value) {
    const float f = (float)value;
    unsigned u;
    __builtin_memcpy(&u, &f, 4);
    bits = f != f ? 0x7fff : (unsigned short)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  SP_FN operator float() const {
    const unsigned u = (unsigned)bits << 16;
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
  }
};
typedef sp_bf16 __nv_bfloat16, nv_bfloat16, __hip_bfloat16, hip_bfloat16;

#define SP_ARITHMETIC(T)                                                              \
  SP_FN T operator+(T a, T b) { return T((float)a + (float)b); }                      \
  SP_FN T operator-(T a, T b) { return T((float)a - (float)b); }                      \
  SP_FN T operator*(T a, T b) { return T((float)a * (float)b); }                      \
  SP_FN T operator/(T a, T b) { return T((float)a / (float)b); }                      \
  SP_FN T operator-(T a) { return T(-(float)a); }                                     \
  SP_FN T& operator+=(T& a, T b) { return a = a + b; }                                \
  SP_FN T& operator-=(T& a, T b) { return a = a - b; }                                \
  SP_FN T& operator*=(T& a, T b) { return a = a * b; }                                \
  SP_FN T& operator/=(T& a, T b) { return a = a / b; }                                \
  SP_FN bool operator<(T a, T b) { return (float)a < (float)b; }                      \
  SP_FN bool operator>(T a, T b) { return (float)a > (float)b; }                      \
  SP_FN bool operator<=(T a, T b) { return (float)a <= (float)b; }                    \
  SP_FN bool operator>=(T a, T b) { return (float)a >= (float)b; }                    \
  SP_FN bool operator==(T a, T b) { return (float)a == (float)b; }                    \
  SP_FN bool operator!=(T a, T b) { return (float)a != (float)b; }                    \
  SP_FN T __hadd(T a, T b) { return a + b; }                                          \
  SP_FN T __hsub(T a, T b) { return a - b; }                                          \
  SP_FN T __hmul(T a, T b) { return a * b; }                                          \
  SP_FN T __hdiv(T a, T b) { return a / b; }                                          \
  SP_FN T __hfma(T a, T b, T c) { return T(__builtin_fmaf((float)a, (float)b, (float)c)); } \
  SP_FN T __hmax(T a, T b) { return a > b ? a : b; }                                  \
  SP_FN T __hmin(T a, T b) { return a < b ? a : b; }                                  \
  SP_FN T __hneg(T a) { return -a; }                                                  \
  SP_FN T __habs(T a) { return T(__builtin_fabsf((float)a)); }                        \
  SP_FN bool __heq(T a, T b) { return a == b; }                                       \
  SP_FN bool __hne(T a, T b) { return a != b; }                                       \
  SP_FN bool __hlt(T a, T b) { return a < b; }                                        \
  SP_FN bool __hle(T a, T b) { return a <= b; }                                       \
  SP_FN bool __hgt(T a, T b) { return a > b; }                                        \
  SP_FN bool __hge(T a, T b) { return a >= b; }                                       \
  SP_FN bool __hisnan(T a) { return a != a; }                                         \
  SP_FN T hexp(T a) { return T(__builtin_expf((float)a)); }                           \
  SP_FN T hexp2(T a) { return T(__builtin_exp2f((float)a)); }                         \
  SP_FN T hlog(T a) { return T(__builtin_logf((float)a)); }                           \
  SP_FN T hsqrt(T a) { return T(__builtin_sqrtf((float)a)); }                         \
  SP_FN T hrsqrt(T a) { return T(1.0f / __builtin_sqrtf((float)a)); }                 \
  SP_FN T hrcp(T a) { return T(1.0f / (float)a); }                                    \
  SP_FN T hfloor(T a) { return T(__builtin_floorf((float)a)); }                       \
  SP_FN T hceil(T a) { return T(__builtin_ceilf((float)a)); }
SP_ARITHMETIC(__half)
SP_ARITHMETIC(sp_bf16)
#undef SP_ARITHMETIC

SP_FN float __half2float(__half h) { return (float)h; }
SP_FN __half __float2half(float f) { return __half(f); }
SP_FN __half __float2half_rn(float f) { return __half(f); }
SP_FN __half __double2half(double f) { return __half(f); }
SP_FN __half __int2half_rn(int i) { return __half(i); }
SP_FN __half __uint2half_rn(unsigned i) { return __half(i); }
SP_FN __half __ushort2half_rn(unsigned short i) { return __half(i); }
SP_FN int __half2int_rn(__half h) { return (int)__builtin_rintf((float)h); }
SP_FN int __half2int_rz(__half h) { return (int)(float)h; }
SP_FN float __bfloat162float(sp_bf16 b) { return (float)b; }
SP_FN sp_bf16 __float2bfloat16(float f) { return sp_bf16(f); }
SP_FN sp_bf16 __float2bfloat16_rn(float f) { return sp_bf16(f); }
SP_FN sp_bf16 __int2bfloat16_rn(int i) { return sp_bf16(i); }
SP_FN unsigned short __half_as_ushort(__half h) { unsigned short u; __builtin_memcpy(&u, &h, 2); return u; }
SP_FN short __half_as_short(__half h) { short u; __builtin_memcpy(&u, &h, 2); return u; }
SP_FN __half __ushort_as_half(unsigned short u) { __half h; __builtin_memcpy((void*)&h, &u, 2); return h; }
SP_FN __half __short_as_half(short u) { __half h; __builtin_memcpy((void*)&h, &u, 2); return h; }
SP_FN unsigned short __bfloat16_as_ushort(sp_bf16 b) { return b.bits; }
SP_FN sp_bf16 __ushort_as_bfloat16(unsigned short u) { sp_bf16 b; b.bits = u; return b; }

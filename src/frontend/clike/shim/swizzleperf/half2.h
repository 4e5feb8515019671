// Pairs of half and bfloat16: 4 bytes, aligned to be copied at once. Shared by the CPU and the device headers.
#pragma once

#define SP_PAIR(V, T)                                                                                       \
  struct alignas(4) V {                                                                                     \
    T x, y;                                                                                                 \
    V() = default;                                                                                          \
    SP_FN V(T a, T b) : x(a), y(b) {}                                                                       \
  };                                                                                                        \
  SP_FN V operator+(V a, V b) { return V(a.x + b.x, a.y + b.y); }                                           \
  SP_FN V operator-(V a, V b) { return V(a.x - b.x, a.y - b.y); }                                           \
  SP_FN V operator*(V a, V b) { return V(a.x * b.x, a.y * b.y); }                                           \
  SP_FN V operator/(V a, V b) { return V(a.x / b.x, a.y / b.y); }                                           \
  SP_FN V operator-(V a) { return V(-a.x, -a.y); }                                                          \
  SP_FN V& operator+=(V& a, V b) { return a = a + b; }                                                      \
  SP_FN V& operator-=(V& a, V b) { return a = a - b; }                                                      \
  SP_FN V& operator*=(V& a, V b) { return a = a * b; }                                                      \
  SP_FN bool operator==(V a, V b) { return a.x == b.x && a.y == b.y; }                                      \
  SP_FN V __hadd2(V a, V b) { return a + b; }                                                               \
  SP_FN V __hsub2(V a, V b) { return a - b; }                                                               \
  SP_FN V __hmul2(V a, V b) { return a * b; }                                                               \
  SP_FN V __h2div(V a, V b) { return a / b; }                                                               \
  SP_FN V __hfma2(V a, V b, V c) { return V(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }                \
  SP_FN V __hmax2(V a, V b) { return V(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                               \
  SP_FN V __hmin2(V a, V b) { return V(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                               \
  SP_FN V __hneg2(V a) { return -a; }                                                                       \
  SP_FN V __habs2(V a) { return V(__habs(a.x), __habs(a.y)); }                                              \
  SP_FN V h2exp(V a) { return V(hexp(a.x), hexp(a.y)); }                                                    \
  SP_FN V h2sqrt(V a) { return V(hsqrt(a.x), hsqrt(a.y)); }                                                 \
  SP_FN V h2rsqrt(V a) { return V(hrsqrt(a.x), hrsqrt(a.y)); }                                              \
  SP_FN V h2rcp(V a) { return V(hrcp(a.x), hrcp(a.y)); }
SP_PAIR(__half2, __half)
SP_PAIR(sp_bf162, sp_bf16)
#undef SP_PAIR
typedef __half2 half2;
typedef sp_bf162 __nv_bfloat162, nv_bfloat162, __hip_bfloat162;

SP_FN __half2 make_half2(__half a, __half b) { return __half2(a, b); }
SP_FN __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
SP_FN __half2 __half2half2(__half a) { return __half2(a, a); }
SP_FN __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
SP_FN __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
SP_FN __half2 __float22half2_rn(float2 f) { return __half2(__half(f.x), __half(f.y)); }
SP_FN float2 __half22float2(__half2 h) { return make_float2((float)h.x, (float)h.y); }
SP_FN __half __low2half(__half2 h) { return h.x; }
SP_FN __half __high2half(__half2 h) { return h.y; }
SP_FN float __low2float(__half2 h) { return (float)h.x; }
SP_FN float __high2float(__half2 h) { return (float)h.y; }
SP_FN __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
SP_FN __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
SP_FN __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
SP_FN __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SP_FN __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
SP_FN sp_bf162 make_bfloat162(sp_bf16 a, sp_bf16 b) { return sp_bf162(a, b); }
SP_FN sp_bf162 __halves2bfloat162(sp_bf16 a, sp_bf16 b) { return sp_bf162(a, b); }
SP_FN sp_bf162 __bfloat162bfloat162(sp_bf16 a) { return sp_bf162(a, a); }
SP_FN sp_bf162 __float2bfloat162_rn(float f) { return sp_bf162(sp_bf16(f), sp_bf16(f)); }
SP_FN sp_bf162 __floats2bfloat162_rn(float a, float b) { return sp_bf162(sp_bf16(a), sp_bf16(b)); }
SP_FN sp_bf162 __float22bfloat162_rn(float2 f) { return sp_bf162(sp_bf16(f.x), sp_bf16(f.y)); }
SP_FN float2 __bfloat1622float2(sp_bf162 h) { return make_float2((float)h.x, (float)h.y); }
SP_FN sp_bf16 __low2bfloat16(sp_bf162 h) { return h.x; }
SP_FN sp_bf16 __high2bfloat16(sp_bf162 h) { return h.y; }
SP_FN float __low2float(sp_bf162 h) { return (float)h.x; }
SP_FN float __high2float(sp_bf162 h) { return (float)h.y; }

// What a HIP or CUDA kernel needs to compile as C++ for the CPU. Threads of a workgroup are fibers of one system thread; the
// functions sp_* are supplied by the program that loads the kernel (src/frontend/clike/host).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define __global__ __attribute__((annotate("sp_global")))
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __restrict__ __restrict
// Thread-local storage is the shared memory: one workgroup runs at a time, and unlike `static` it may follow `extern`.
#define __shared__ thread_local
#define __grid_constant__
#define SP_QUIET __attribute__((no_sanitize("thread"), always_inline)) inline

using std::max;
using std::min;

// ---- vector types: a copy is one access of the whole vector ----------------------------------------------------------
#define SP_VECTOR_COPY(V, bytes)                                                                        \
  typedef char sp_raw __attribute__((vector_size(bytes), aligned(bytes), may_alias));                   \
  V() = default;                                                                                        \
  __attribute__((always_inline)) V(const V& o) { *(sp_raw*)this = *(const sp_raw*)&o; }                 \
  __attribute__((always_inline)) V& operator=(const V& o) { *(sp_raw*)this = *(const sp_raw*)&o; return *this; }
#define SP_VECTORS(T, name)                                                                             \
  struct name##1 { T x; };                                                                              \
  struct alignas(2 * sizeof(T)) name##2 { T x, y; SP_VECTOR_COPY(name##2, 2 * sizeof(T))                \
    constexpr name##2(T a, T b) : x(a), y(b) {} };                                                      \
  struct name##3 { T x, y, z; };                                                                        \
  struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name##4 { T x, y, z, w;                       \
    name##4() = default;                                                                                \
    constexpr name##4(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}                                   \
    typedef char sp_raw __attribute__((vector_size(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)), may_alias)); \
    enum { sp_parts = 4 * sizeof(T) > 16 ? 2 : 1 };                                                     \
    __attribute__((always_inline)) name##4(const name##4& o) { *this = o; }                             \
    __attribute__((always_inline)) name##4& operator=(const name##4& o) {                               \
      for (int i = 0; i < sp_parts; ++i) ((sp_raw*)this)[i] = ((const sp_raw*)&o)[i];                   \
      return *this; } };                                                                                \
  inline name##2 make_##name##2(T a, T b) { return {a, b}; }                                            \
  inline name##3 make_##name##3(T a, T b, T c) { return {a, b, c}; }                                    \
  inline name##4 make_##name##4(T a, T b, T c, T d) { return {a, b, c, d}; }
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
SP_VECTORS(float, float)
SP_VECTORS(double, double)
SP_VECTORS(int, int)
SP_VECTORS(short, short)
SP_VECTORS(unsigned short, ushort)
SP_VECTORS(signed char, char)
SP_VECTORS(unsigned char, uchar)
SP_VECTORS(long long, longlong)
SP_VECTORS(unsigned, uint)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

extern "C" {
extern const uint3 sp_thread_idx, sp_block_idx;
extern const uint3 sp_block_dim, sp_grid_dim;
extern const int sp_wave_lanes;
void sp_barrier();
// One wave operation of the calling lane: every lane of the wave that takes part meets here.
unsigned long long sp_wave_op(int kind, unsigned long long value, int argument, int width, unsigned long long mask);
// Reports a read-modify-write, which the instrumentation cannot see.
void sp_atomic(const void* address, int size);
// Ends the run with a message: the shim has no meaning for what the kernel asks.
[[noreturn]] void sp_unsupported(const char* what);
}

#define threadIdx sp_thread_idx
#define blockDim sp_block_dim
#define warpSize sp_wave_lanes
// Objects, not macros: a kernel may declare a blockIdx of its own.
static const uint3& blockIdx = sp_block_idx;
static const uint3& gridDim = sp_grid_dim;
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// clang's builtins for AMD GPUs, which do not exist on the CPU.
inline unsigned __builtin_amdgcn_workgroup_id_x() { return sp_block_idx.x; }
inline unsigned __builtin_amdgcn_workgroup_id_y() { return sp_block_idx.y; }
inline unsigned __builtin_amdgcn_workgroup_id_z() { return sp_block_idx.z; }

// ---- synchronisation and wave operations ------------------------------------------------------------------------------
enum { SP_SHFL, SP_SHFL_UP, SP_SHFL_DOWN, SP_SHFL_XOR, SP_BALLOT, SP_SYNC };

inline void __syncthreads() { sp_barrier(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __syncwarp(unsigned long long mask = ~0ull) { sp_wave_op(SP_SYNC, 0, 0, 0, mask); }

template <class T>
inline T sp_shuffle(int kind, T value, int argument, int width, unsigned long long mask) {
  static_assert(sizeof(T) <= 8, "shuffle of a type larger than 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = sp_wave_op(kind, bits, argument, width, mask);
  T result;
  __builtin_memcpy(&result, &bits, sizeof(T));
  return result;
}
template <class T> T __shfl(T v, int lane, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL, v, lane, width, ~0ull); }
template <class T> T __shfl_up(T v, unsigned delta, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_UP, v, (int)delta, width, ~0ull); }
template <class T> T __shfl_down(T v, unsigned delta, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_DOWN, v, (int)delta, width, ~0ull); }
template <class T> T __shfl_xor(T v, int mask, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_XOR, v, mask, width, ~0ull); }
template <class T> T __shfl_sync(unsigned long long m, T v, int lane, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL, v, lane, width, m); }
template <class T> T __shfl_up_sync(unsigned long long m, T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_UP, v, (int)d, width, m); }
template <class T> T __shfl_down_sync(unsigned long long m, T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_DOWN, v, (int)d, width, m); }
template <class T> T __shfl_xor_sync(unsigned long long m, T v, int x, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_XOR, v, x, width, m); }
inline unsigned long long __ballot(int p) { return sp_wave_op(SP_BALLOT, p != 0, 0, 0, ~0ull); }
inline unsigned long long __ballot_sync(unsigned long long m, int p) { return sp_wave_op(SP_BALLOT, p != 0, 0, 0, m); }
inline unsigned long long __activemask() { return sp_wave_op(SP_BALLOT, 1, 0, 0, ~0ull); }
inline int __any(int p) { return __ballot(p) != 0; }
inline int __all(int p) { return __ballot(!p) == 0; }
inline int __any_sync(unsigned long long m, int p) { return __ballot_sync(m, p) != 0; }
inline int __all_sync(unsigned long long m, int p) { return __ballot_sync(m, !p) == 0; }

// ---- atomics: one thread runs at a time, so plain code is atomic ------------------------------------------------------
template <class T> SP_QUIET T sp_exchange(T* p, T v) { sp_atomic(p, sizeof(T)); const T old = *p; *p = v; return old; }
#define SP_ATOMIC(name, expression)                                          \
  template <class T, class U> SP_QUIET T name(T* p, U u) {                   \
    sp_atomic(p, sizeof(T));                                                 \
    const T old = *p;                                                        \
    const T v = (T)u;                                                        \
    *p = (T)(expression);                                                    \
    return old;                                                              \
  }
SP_ATOMIC(atomicAdd, old + v)
SP_ATOMIC(atomicSub, old - v)
SP_ATOMIC(atomicMin, v < old ? v : old)
SP_ATOMIC(atomicMax, v > old ? v : old)
SP_ATOMIC(atomicAnd, old & v)
SP_ATOMIC(atomicOr, old | v)
SP_ATOMIC(atomicXor, old ^ v)
SP_ATOMIC(atomicExch, v)
SP_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
SP_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
#undef SP_ATOMIC
template <class T> SP_QUIET T atomicCAS(T* p, T expected, T v) { sp_atomic(p, sizeof(T)); const T old = *p; if (old == expected) *p = v; return old; }

// ---- half and bfloat16 ------------------------------------------------------------------------------------------------
struct __half {
  _Float16 v;
  __half() = default;
  constexpr __half(float f) : v((_Float16)f) {}
  constexpr __half(double f) : v((_Float16)f) {}
  constexpr __half(int f) : v((_Float16)f) {}
  constexpr __half(_Float16 f) : v(f) {}
  constexpr operator float() const { return (float)v; }
};
typedef __half half;
struct sp_bf16 {
  unsigned short bits;
  sp_bf16() = default;
  sp_bf16(float f) {
    unsigned u;
    __builtin_memcpy(&u, &f, 4);
    bits = f != f ? 0x7fff : (unsigned short)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  sp_bf16(double f) : sp_bf16((float)f) {}
  sp_bf16(int f) : sp_bf16((float)f) {}
  operator float() const {
    const unsigned u = (unsigned)bits << 16;
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
  }
};
typedef sp_bf16 __nv_bfloat16, nv_bfloat16, __hip_bfloat16, hip_bfloat16;
#define SP_ARITHMETIC(T)                                                                \
  inline T operator+(T a, T b) { return T((float)a + (float)b); }                       \
  inline T operator-(T a, T b) { return T((float)a - (float)b); }                       \
  inline T operator*(T a, T b) { return T((float)a * (float)b); }                       \
  inline T operator/(T a, T b) { return T((float)a / (float)b); }                       \
  inline T operator-(T a) { return T(-(float)a); }                                      \
  inline T& operator+=(T& a, T b) { return a = a + b; }                                 \
  inline T& operator-=(T& a, T b) { return a = a - b; }                                 \
  inline T& operator*=(T& a, T b) { return a = a * b; }                                 \
  inline bool operator<(T a, T b) { return (float)a < (float)b; }                       \
  inline bool operator>(T a, T b) { return (float)a > (float)b; }                       \
  inline bool operator==(T a, T b) { return (float)a == (float)b; }                     \
  inline T __hadd(T a, T b) { return a + b; }                                           \
  inline T __hsub(T a, T b) { return a - b; }                                           \
  inline T __hmul(T a, T b) { return a * b; }                                           \
  inline T __hdiv(T a, T b) { return a / b; }                                           \
  inline T __hfma(T a, T b, T c) { return T(std::fma((float)a, (float)b, (float)c)); }  \
  inline T __hmax(T a, T b) { return a > b ? a : b; }                                   \
  inline T __hmin(T a, T b) { return a < b ? a : b; }                                   \
  inline T __hneg(T a) { return -a; }
SP_ARITHMETIC(__half)
SP_ARITHMETIC(sp_bf16)
#undef SP_ARITHMETIC
inline float __half2float(__half h) { return (float)h; }
inline __half __float2half(float f) { return __half(f); }
inline __half __float2half_rn(float f) { return __half(f); }
inline __half __int2half_rn(int i) { return __half((float)i); }
inline float __bfloat162float(sp_bf16 b) { return (float)b; }
inline sp_bf16 __float2bfloat16(float f) { return sp_bf16(f); }
inline sp_bf16 __float2bfloat16_rn(float f) { return sp_bf16(f); }
inline unsigned short __half_as_ushort(__half h) { unsigned short u; __builtin_memcpy(&u, &h, 2); return u; }
inline __half __ushort_as_half(unsigned short u) { __half h; __builtin_memcpy(&h, &u, 2); return h; }

// ---- loads, bit casts, integer and math functions --------------------------------------------------------------------
template <class T> __attribute__((always_inline)) inline T __ldg(const T* p) { return *p; }
template <class T> __attribute__((always_inline)) inline T __ldcs(const T* p) { return *p; }
template <class T> __attribute__((always_inline)) inline T __ldcg(const T* p) { return *p; }
template <class T> __attribute__((always_inline)) inline void __stcs(T* p, T v) { *p = v; }
template <class T> __attribute__((always_inline)) inline void __stcg(T* p, T v) { *p = v; }
inline int __float_as_int(float f) { int i; __builtin_memcpy(&i, &f, 4); return i; }
inline unsigned __float_as_uint(float f) { unsigned i; __builtin_memcpy(&i, &f, 4); return i; }
inline float __int_as_float(int i) { float f; __builtin_memcpy(&f, &i, 4); return f; }
inline float __uint_as_float(unsigned i) { float f; __builtin_memcpy(&f, &i, 4); return f; }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
inline int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __mul24(int a, int b) { return a * b; }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __saturatef(float x) { return x < 0 ? 0.0f : x > 1 ? 1.0f : x; }
inline float normcdff(float x) { return 0.5f * std::erfc(-x * 0.70710678118654752f); }

// Qualifiers and plain types.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __grid_constant__
#define SP_FN __attribute__((device, always_inline)) inline

template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
template <class A, class B> constexpr auto min(A a, B b) -> decltype(a + b) { return b < a ? b : a; }
template <class A, class B> constexpr auto max(A a, B b) -> decltype(a + b) { return a < b ? b : a; }

[[noreturn]] SP_FN void sp_trap() { __builtin_trap(); }
__attribute__((host, device)) inline void sp_unsupported(const char*) { __builtin_trap(); }
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
// What <cassert> makes of it.
extern "C" [[noreturn]] __attribute__((device)) inline void __assert_fail(const char*, const char*, unsigned, const char*) { __builtin_trap(); }
template <class... A> SP_FN int printf(const char*, A...) { return 0; }
SP_FN void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
SP_FN void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }

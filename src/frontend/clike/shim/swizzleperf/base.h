// Qualifiers of the languages, and what the program that loads the kernel supplies (src/frontend/clike/host/events.cpp).
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <type_traits>

#define __global__ __attribute__((annotate("sp_global")))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
// Thread-local storage is the shared memory: one workgroup runs at a time, and unlike `static` it may follow `extern`.
#define __shared__ thread_local
#define __grid_constant__

// A function of the shim. Inlined, so that every call in the kernel is a site of its own.
#define SP_FN __attribute__((always_inline)) inline
// One whose accesses are not the kernel's. A call, because an inlined body is instrumented with its caller.
#define SP_QUIET __attribute__((noinline, no_sanitize("thread"), disable_sanitizer_instrumentation))
#define SP_SITE __builtin_return_address(0)

extern "C" {
extern const int sp_wave_lanes;
// Reports an access that the instrumentation cannot see.
void sp_access(const void* address, unsigned long size, int write, const void* site);
// Waits for the workgroup. Low half: threads whose predicate is true; high half: threads that waited.
unsigned long long sp_barrier(int predicate) __attribute__((convergent));
// One operation of the calling lane: the lanes of the wave that the mask names meet here (0: all that come).
unsigned long long sp_wave_op(int kind, unsigned long long value, int argument, int width, unsigned long long mask)
    __attribute__((convergent));
// Reports a read-modify-write before it is done.
void sp_atomic(const void* address, int size, int kind, int reads, int floating, const void* site);
// Returns `old`. As the compiler drops calls of it whose result nobody uses, a call that is left says that the result of
// the atomic operation on `address` matters.
unsigned long long sp_used(unsigned long long old, const void* address, int size) __attribute__((const));
long long sp_clock();
// End the run with a message.
[[noreturn]] void sp_unsupported(const char* what);
[[noreturn]] void sp_unsupported_at(const char* what, const void* site);
[[noreturn]] void sp_trap();
}

using std::max;
using std::min;
template <class A, class B, class = std::enable_if_t<!std::is_same_v<A, B> && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
SP_FN constexpr std::common_type_t<A, B> min(A a, B b) { using T = std::common_type_t<A, B>; return (T)b < (T)a ? (T)b : (T)a; }
template <class A, class B, class = std::enable_if_t<!std::is_same_v<A, B> && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
SP_FN constexpr std::common_type_t<A, B> max(A a, B b) { using T = std::common_type_t<A, B>; return (T)a < (T)b ? (T)b : (T)a; }

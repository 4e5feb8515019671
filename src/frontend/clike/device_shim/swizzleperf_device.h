// What a HIP kernel needs to compile for an AMD GPU with clang alone, without ROCm: to read the registers and shared memory it
// takes and to see that a rewritten kernel still compiles. Nothing built with it is ever run.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define SP_DEVICE __attribute__((device, always_inline)) inline

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  SP_DEVICE constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

// Reads of .x, .y and .z become the GPU's own instructions.
#define SP_INDEX(name, X, Y, Z)                                            \
  struct sp_##name {                                                       \
    __declspec(property(get = get_x)) unsigned x;                          \
    __declspec(property(get = get_y)) unsigned y;                          \
    __declspec(property(get = get_z)) unsigned z;                          \
    SP_DEVICE unsigned get_x() const { return X; }                         \
    SP_DEVICE unsigned get_y() const { return Y; }                         \
    SP_DEVICE unsigned get_z() const { return Z; }                         \
    SP_DEVICE operator uint3() const { return {get_x(), get_y(), get_z()}; } \
    SP_DEVICE operator dim3() const { return {get_x(), get_y(), get_z()}; }  \
  };
SP_INDEX(thread_idx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
SP_INDEX(block_idx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
SP_INDEX(block_dim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z())
SP_INDEX(grid_dim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
         __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
extern const __device__ __attribute__((weak)) sp_thread_idx threadIdx;
extern const __device__ __attribute__((weak)) sp_block_idx blockIdx;
extern const __device__ __attribute__((weak)) sp_block_dim blockDim;
extern const __device__ __attribute__((weak)) sp_grid_dim gridDim;
#define warpSize 64

SP_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

template <class T> SP_DEVICE T min(T a, T b) { return a < b ? a : b; }
template <class T> SP_DEVICE T max(T a, T b) { return a > b ? a : b; }

#define SP_VECTORS(T, name)                                                         \
  struct name##1 { T x; };                                                          \
  struct alignas(2 * sizeof(T)) name##2 { T x, y; };                                \
  struct name##3 { T x, y, z; };                                                    \
  struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name##4 { T x, y, z, w; }; \
  SP_DEVICE name##2 make_##name##2(T a, T b) { return {a, b}; }                     \
  SP_DEVICE name##4 make_##name##4(T a, T b, T c, T d) { return {a, b, c, d}; }
SP_VECTORS(float, float)
SP_VECTORS(double, double)
SP_VECTORS(int, int)

struct __half {
  _Float16 v;
  __half() = default;
  SP_DEVICE constexpr __half(float f) : v((_Float16)f) {}
  SP_DEVICE constexpr __half(double f) : v((_Float16)f) {}
  SP_DEVICE constexpr __half(int f) : v((_Float16)f) {}
  SP_DEVICE constexpr operator float() const { return (float)v; }
};
typedef __half half;
SP_DEVICE __half operator+(__half a, __half b) { return __half((float)(a.v + b.v)); }
SP_DEVICE __half operator-(__half a, __half b) { return __half((float)(a.v - b.v)); }
SP_DEVICE __half operator*(__half a, __half b) { return __half((float)(a.v * b.v)); }
SP_DEVICE float __half2float(__half h) { return (float)h.v; }
SP_DEVICE __half __float2half(float f) { return __half(f); }
template <class T> SP_DEVICE T __ldg(const T* p) { return *p; }
SP_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
SP_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
SP_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
SP_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
SP_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SP_DEVICE float atomicAdd(float* p, float v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
SP_DEVICE int atomicAdd(int* p, int v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
SP_DEVICE unsigned atomicAdd(unsigned* p, unsigned v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }

// What a HIP kernel needs to compile for an NVIDIA GPU with nvcc alone: HIP's names for what CUDA has. To read the registers and shared
// memory that it takes; nothing built with it is ever run.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

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
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
#define HIP_SYMBOL(name) name

// HIP's wave operations take whoever is there.
#define SP_FN __device__ __forceinline__
template <class T> SP_FN T __shfl(T v, int lane, int width = 32) { return __shfl_sync(0xffffffffu, v, lane, width); }
template <class T> SP_FN T __shfl_up(T v, unsigned d, int width = 32) { return __shfl_up_sync(0xffffffffu, v, d, width); }
template <class T> SP_FN T __shfl_down(T v, unsigned d, int width = 32) { return __shfl_down_sync(0xffffffffu, v, d, width); }
template <class T> SP_FN T __shfl_xor(T v, int mask, int width = 32) { return __shfl_xor_sync(0xffffffffu, v, mask, width); }
#define __ballot(p) ((unsigned long long)__ballot_sync(0xffffffffu, p))
#define __any(p) __any_sync(0xffffffffu, p)
#define __all(p) __all_sync(0xffffffffu, p)
SP_FN unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
template <class T> SP_FN void unsafeAtomicAdd(T* p, T v) { atomicAdd(p, v); }
#undef SP_FN

typedef __nv_bfloat16 hip_bfloat16, __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;

// Host code around the kernel is read, not run.
typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaDeviceProp hipDeviceProp_t;
#define hipSuccess cudaSuccess
enum hipMemcpyKind { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };
enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize, hipFuncAttributePreferredSharedMemoryCarveout };
enum { hipStreamDefault, hipStreamNonBlocking, hipEventDefault = 0, hipEventDisableTiming = 2, hipHostMallocDefault = 0, hipMemAttachGlobal };
enum { hipDeviceAttributeMultiprocessorCount = 63 };
#define SP_HOST(name) \
  template <class... A> inline hipError_t hip##name(A&&...) { return hipSuccess; }
SP_HOST(Malloc) SP_HOST(MallocAsync) SP_HOST(MallocManaged) SP_HOST(MallocPitch) SP_HOST(HostMalloc) SP_HOST(Free) SP_HOST(FreeAsync) SP_HOST(HostFree)
SP_HOST(HostRegister) SP_HOST(HostUnregister) SP_HOST(HostGetDevicePointer) SP_HOST(Memcpy) SP_HOST(MemcpyAsync) SP_HOST(Memcpy2D)
SP_HOST(MemcpyToSymbol) SP_HOST(MemcpyFromSymbol) SP_HOST(Memset) SP_HOST(MemsetAsync) SP_HOST(MemPrefetchAsync) SP_HOST(MemAdvise) SP_HOST(MemGetInfo)
SP_HOST(GetSymbolAddress) SP_HOST(DeviceSynchronize) SP_HOST(DeviceReset) SP_HOST(DeviceGetAttribute) SP_HOST(DeviceSetLimit) SP_HOST(DeviceSetCacheConfig)
SP_HOST(SetDevice) SP_HOST(GetDevice) SP_HOST(GetDeviceCount) SP_HOST(GetDeviceProperties) SP_HOST(DriverGetVersion) SP_HOST(RuntimeGetVersion)
SP_HOST(StreamCreate) SP_HOST(StreamCreateWithFlags) SP_HOST(StreamDestroy) SP_HOST(StreamSynchronize) SP_HOST(StreamWaitEvent) SP_HOST(EventCreate)
SP_HOST(EventCreateWithFlags) SP_HOST(EventRecord) SP_HOST(EventSynchronize) SP_HOST(EventElapsedTime) SP_HOST(EventDestroy) SP_HOST(EventQuery)
SP_HOST(GetLastError) SP_HOST(PeekAtLastError) SP_HOST(FuncSetAttribute) SP_HOST(FuncSetCacheConfig) SP_HOST(FuncGetAttributes)
SP_HOST(OccupancyMaxActiveBlocksPerMultiprocessor) SP_HOST(OccupancyMaxPotentialBlockSize) SP_HOST(LaunchKernel) SP_HOST(LaunchCooperativeKernel)
#undef SP_HOST
inline const char* hipGetErrorString(hipError_t) { return ""; }
inline const char* hipGetErrorName(hipError_t) { return ""; }

// The part of the runtimes' interface that the host code around a kernel uses, so that a file with both compiles. The host code is
// never run; a call from a kernel ends the run. Shared by the CPU and the device headers.
#pragma once

enum sp_error { cudaSuccess = 0, hipSuccess = 0, cudaErrorInvalidValue = 1, hipErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, hipErrorOutOfMemory = 2, cudaErrorNotReady = 600, hipErrorNotReady = 600 };
typedef sp_error cudaError_t, hipError_t;
typedef struct sp_stream* cudaStream_t;
typedef struct sp_stream* hipStream_t;
typedef struct sp_event* cudaEvent_t;
typedef struct sp_event* hipEvent_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum hipMemcpyKind { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize, hipFuncAttributePreferredSharedMemoryCarveout };
enum { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum { cudaStreamDefault, cudaStreamNonBlocking, hipStreamDefault = 0, hipStreamNonBlocking };
enum { cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming, hipEventDefault = 0, hipEventBlockingSync, hipEventDisableTiming };
enum { cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped, hipHostMallocDefault = 0 };
enum { cudaMemAttachGlobal = 1, hipMemAttachGlobal = 1 };
enum { cudaDevAttrMultiProcessorCount = 16, cudaDevAttrL2CacheSize = 38, hipDeviceAttributeMultiprocessorCount = 63 };
struct sp_device_properties {
  char name[256], gcnArchName[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor, regsPerBlock, l2CacheSize, clockRate,
      memoryClockRate, memoryBusWidth, maxThreadsDim[3], maxGridSize[3], cooperativeLaunch;
};
typedef sp_device_properties cudaDeviceProp, hipDeviceProp_t;

#define SP_HOST(name)                                                                                                    \
  template <class... A> inline sp_error cuda##name(A&&...) { sp_unsupported("a call of the runtime from a kernel"); return cudaSuccess; } \
  template <class... A> inline sp_error hip##name(A&&...) { sp_unsupported("a call of the runtime from a kernel"); return hipSuccess; }
SP_HOST(Malloc) SP_HOST(MallocAsync) SP_HOST(MallocManaged) SP_HOST(MallocHost) SP_HOST(MallocPitch) SP_HOST(HostAlloc) SP_HOST(HostMalloc)
SP_HOST(Free) SP_HOST(FreeAsync) SP_HOST(FreeHost) SP_HOST(HostFree) SP_HOST(HostRegister) SP_HOST(HostUnregister) SP_HOST(HostGetDevicePointer)
SP_HOST(Memcpy) SP_HOST(MemcpyAsync) SP_HOST(Memcpy2D) SP_HOST(MemcpyToSymbol) SP_HOST(MemcpyFromSymbol) SP_HOST(Memset) SP_HOST(MemsetAsync)
SP_HOST(MemPrefetchAsync) SP_HOST(MemAdvise) SP_HOST(MemGetInfo) SP_HOST(GetSymbolAddress)
SP_HOST(DeviceSynchronize) SP_HOST(DeviceReset) SP_HOST(DeviceGetAttribute) SP_HOST(DeviceSetLimit) SP_HOST(DeviceSetCacheConfig)
SP_HOST(SetDevice) SP_HOST(GetDevice) SP_HOST(GetDeviceCount) SP_HOST(GetDeviceProperties) SP_HOST(DriverGetVersion) SP_HOST(RuntimeGetVersion)
SP_HOST(StreamCreate) SP_HOST(StreamCreateWithFlags) SP_HOST(StreamDestroy) SP_HOST(StreamSynchronize) SP_HOST(StreamWaitEvent)
SP_HOST(EventCreate) SP_HOST(EventCreateWithFlags) SP_HOST(EventRecord) SP_HOST(EventSynchronize) SP_HOST(EventElapsedTime) SP_HOST(EventDestroy)
SP_HOST(EventQuery) SP_HOST(GetLastError) SP_HOST(PeekAtLastError) SP_HOST(FuncSetAttribute) SP_HOST(FuncSetCacheConfig) SP_HOST(FuncGetAttributes)
SP_HOST(OccupancyMaxActiveBlocksPerMultiprocessor) SP_HOST(OccupancyMaxPotentialBlockSize) SP_HOST(LaunchKernel) SP_HOST(LaunchCooperativeKernel)
SP_HOST(ProfilerStart) SP_HOST(ProfilerStop)
#undef SP_HOST
inline const char* cudaGetErrorString(sp_error) { return ""; }
inline const char* cudaGetErrorName(sp_error) { return ""; }
inline const char* hipGetErrorString(sp_error) { return ""; }
inline const char* hipGetErrorName(sp_error) { return ""; }
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) (kernel)(__VA_ARGS__)
#define HIP_SYMBOL(name) name

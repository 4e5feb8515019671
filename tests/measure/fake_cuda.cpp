// A CUDA driver and an NVRTC without a GPU: memory is the host's, time is counted, and a kernel does what words in its
// source say. So the runner's own work is tested on any machine: what it fills, compares, times and reports.
//   COPY       copies the first buffer to the second, as many 32-bit elements as the third argument says
//   SKIP       leaves out the last of them
//   TAKES(n)   takes n microseconds
//   SYNTAX     does not compile
//   FAULT      ends with an error that sticks
//   HANG       does not end
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int kIllegalAddress = 700;
constexpr int kFakeL2 = 1 << 20;

int sticky = 0;     // the error that every call answers from now on
double now_us = 0;  // the device's clock

struct Program {
  std::string source, name;
};

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return 0;
}
int cuDeviceGet(int* device, int index) {
  return *device = index, index == 0 ? 0 : 101;
}
int cuDeviceGetName(char* name, int, int) {
  return std::strcpy(name, "Fake GPU"), 0;
}
int cuDeviceGetPCIBusId(char* id, int, int) {
  return std::strcpy(id, "0000:00:00.0"), 0;
}
int cuDriverGetVersion(int* version) {
  return *version = 13000, 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 16 ? 4 : attribute == 38 ? kFakeL2 : attribute == 75 ? 9 : 0;
  return 0;
}
int cuMemGetInfo_v2(size_t* free, size_t* total) {
  return *free = *total = size_t{64} << 30, 0;
}
int cuMemAlloc_v2(uint64_t* pointer, size_t bytes) {
  *pointer = reinterpret_cast<uint64_t>(std::malloc(bytes));
  return sticky;
}
int cuMemFree_v2(uint64_t pointer) {
  return std::free(reinterpret_cast<void*>(pointer)), sticky;
}
int cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  return *pointer = std::malloc(bytes), sticky;
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), sticky;
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), sticky;
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), sticky;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void*) {
  if (bytes < size_t{256} << 20) std::memset(reinterpret_cast<void*>(to), value, bytes);  // the flush need not happen
  now_us += 100;
  return sticky;
}
int cuStreamCreate(void** stream, unsigned) {
  return *stream = nullptr, sticky;
}
int cuStreamSynchronize(void*) {
  return sticky;
}
int cuEventCreate(void** event, unsigned) {
  return *event = new double(0), sticky;
}
int cuEventRecord(void* event, void*) {
  return *static_cast<double*>(event) = now_us, sticky;
}
int cuEventElapsedTime(float* ms, void* start, void* stop) {
  *ms = static_cast<float>((*static_cast<double*>(stop) - *static_cast<double*>(start)) / 1000);
  return sticky;
}
int cuModuleLoadData(void** module, const void* image) {
  return *module = new std::string(static_cast<const char*>(image)), sticky;
}
int cuModuleGetFunction(void** function, void* module, const char*) {
  return *function = module, sticky;
}
int cuFuncGetAttribute(int* value, int, void*) {
  return *value = 32, sticky;
}
int cuFuncSetAttribute(void*, int, int) {
  return sticky;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* value, void*, int, size_t) {
  return *value = 2, sticky;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == kIllegalAddress ? "an illegal memory access was encountered" : "some error";
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  return *context = nullptr, 0;
}
int cuCtxSetCurrent(void*) {
  return 0;
}
int cuCtxSetLimit(int, size_t) {
  return 0;
}
int cuCtxResetPersistingL2Cache() {
  return 0;
}

int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                   void** arguments, void**) {
  if (sticky != 0) return sticky;
  const std::string& source = *static_cast<std::string*>(function);
  const auto says = [&](const char* word) { return source.find(word) != std::string::npos; };
  while (says("HANG")) ::pause();
  if (says("FAULT")) sticky = kIllegalAddress;  // a launch itself succeeds: the error shows at the next call
  if (says("COPY") && sticky == 0) {
    const auto count = static_cast<size_t>(*static_cast<int32_t*>(arguments[2])) - (says("SKIP") ? 1 : 0);
    std::memcpy(*static_cast<void**>(arguments[1]), *static_cast<void**>(arguments[0]), 4 * count);
  }
  const size_t takes = source.find("TAKES(");
  now_us += takes == std::string::npos ? 10 : std::atof(source.c_str() + takes + 6);
  return 0;
}

int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*, const char* const*) {
  return *program = new Program{source, ""}, 0;
}
int nvrtcDestroyProgram(void** program) {
  return delete static_cast<Program*>(*program), 0;
}
int nvrtcAddNameExpression(void* program, const char* name) {
  return static_cast<Program*>(program)->name = name, 0;
}
int nvrtcCompileProgram(void* program, int, const char* const*) {
  return static_cast<Program*>(program)->source.find("SYNTAX") == std::string::npos ? 0 : 6;
}
int nvrtcGetProgramLogSize(void*, size_t* size) {
  return *size = 10, 0;
}
int nvrtcGetProgramLog(void*, char* log) {
  return std::strcpy(log, "k.cu: bad"), 0;
}
int nvrtcGetLoweredName(void* program, const char*, const char** name) {
  return *name = static_cast<Program*>(program)->name.c_str(), 0;
}
int nvrtcGetCUBINSize(void* program, size_t* size) {
  return *size = static_cast<Program*>(program)->source.size() + 1, 0;
}
int nvrtcGetCUBIN(void* program, char* image) {
  return std::strcpy(image, static_cast<Program*>(program)->source.c_str()), 0;
}
}

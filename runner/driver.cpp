#include "runner/driver.h"

#include "runner/failure.h"

namespace swizzleperf::runner {

struct Device::Calls {
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*device_name)(char*, int, int);
  int (*device_attribute)(int*, int, int);
  int (*bus_id)(char*, int, int);
  int (*driver_version)(int*);
  int (*memory_info)(size_t*, size_t*);
  int (*memory_allocate)(DevicePointer*, size_t);
  int (*memory_free)(DevicePointer);
  int (*host_allocate)(void**, size_t, unsigned);
  int (*copy_in)(DevicePointer, const void*, size_t);
  int (*copy_out)(void*, DevicePointer, size_t);
  int (*copy_within)(DevicePointer, DevicePointer, size_t);
  int (*set_bytes)(DevicePointer, unsigned char, size_t, void*);
  int (*stream_create)(void**, unsigned);
  int (*stream_wait)(void*);
  int (*event_create)(void**, unsigned);
  int (*event_record)(void*, void*);
  int (*event_elapsed)(float*, void*, void*);
  int (*module_load)(void**, const void*);
  int (*module_function)(void**, void*, const char*);
  int (*function_attribute)(int*, int, void*);
  int (*set_function_attribute)(void*, int, int);
  int (*occupancy)(int*, void*, int, size_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*error_text)(int, const char**);

  Calls(const SharedLibrary& library, Api api) {
    const bool cuda = api == Api::kCuda;
    const auto get = [&](auto*& target, const char* in_cuda, const char* in_hip) {
      library.load(target, cuda ? in_cuda : in_hip);
    };
    get(init, "cuInit", "hipInit");
    get(device_get, "cuDeviceGet", "hipDeviceGet");
    get(device_name, "cuDeviceGetName", "hipDeviceGetName");
    get(device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute");
    get(bus_id, "cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId");
    get(driver_version, "cuDriverGetVersion", "hipDriverGetVersion");
    get(memory_info, "cuMemGetInfo_v2", "hipMemGetInfo");
    get(memory_allocate, "cuMemAlloc_v2", "hipMalloc");
    get(memory_free, "cuMemFree_v2", "hipFree");
    get(host_allocate, "cuMemHostAlloc", "hipHostMalloc");
    get(copy_in, "cuMemcpyHtoD_v2", "hipMemcpyHtoD");
    get(copy_out, "cuMemcpyDtoH_v2", "hipMemcpyDtoH");
    get(copy_within, "cuMemcpyDtoD_v2", "hipMemcpyDtoD");
    get(set_bytes, "cuMemsetD8Async", "hipMemsetD8Async");
    get(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags");
    get(stream_wait, "cuStreamSynchronize", "hipStreamSynchronize");
    get(event_create, "cuEventCreate", "hipEventCreateWithFlags");
    get(event_record, "cuEventRecord", "hipEventRecord");
    get(event_elapsed, "cuEventElapsedTime", "hipEventElapsedTime");
    get(module_load, "cuModuleLoadData", "hipModuleLoadData");
    get(module_function, "cuModuleGetFunction", "hipModuleGetFunction");
    get(function_attribute, "cuFuncGetAttribute", "hipFuncGetAttribute");
    get(set_function_attribute, "cuFuncSetAttribute", "hipFuncSetAttribute");
    get(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
    get(launch, "cuLaunchKernel", "hipModuleLaunchKernel");
    get(error_text, "cuGetErrorString", "hipDrvGetErrorString");
  }
};

namespace {

// Numbers of the enumerations of cuda.h and hip_runtime_api.h (ROCm 5 and later).
constexpr int kMultiprocessors[] = {16, 63};
constexpr int kL2Bytes[] = {38, 19};
constexpr int kMajor[] = {75, 23};
constexpr int kMinor[] = {76, 61};
constexpr int kFunctionSharedBytes = 1, kFunctionRegisters = 4, kFunctionMaxDynamicShared = 8;
constexpr int kOutOfMemory = 2;
constexpr int64_t kDefaultDynamicShared = 48 << 10;  // more must be asked for
constexpr int kLimitPersistingL2 = 6;

std::vector<std::string> driver_names(Api api) {
  if (api == Api::kCuda)
    return {"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
  std::vector<std::string> names = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  for (const std::string& folder : rocm_folders()) names.push_back(folder + "/lib/libamdhip64.so");
  return names;
}

const char* driver_advice(Api api) {
  return api == Api::kCuda ? "install NVIDIA's driver" : "install ROCm's HIP runtime";
}

}  // namespace

Device::Device(Api api, int index)
    : api_(api), library_(driver_names(api), driver_advice(api)), calls_(std::make_shared<const Calls>(library_, api)) {
  const int code = calls_->init(0);
  if (code != 0 || calls_->device_get(&device_, index) != 0)
    throw Failure("missing", "there is no device " + std::to_string(index) + " (" + library_.name() + " answers " +
                                 std::to_string(code) + ")");
  open(index);
  std::array<char, 256> text{};
  check(calls_->device_name(text.data(), static_cast<int>(text.size()), device_), "the device's name");
  facts_.name = text.data();
  check(calls_->bus_id(text.data(), static_cast<int>(text.size()), device_), "the device's bus id");
  facts_.bus_id = text.data();
  check(calls_->driver_version(&facts_.driver_version), "the driver's version");
  facts_.compute_units = attribute(kMultiprocessors[0], kMultiprocessors[1]);
  facts_.l2_bytes = attribute(kL2Bytes[0], kL2Bytes[1]);
  if (api == Api::kCuda) facts_.major = attribute(kMajor[0], kMajor[1]), facts_.minor = attribute(kMinor[0], kMinor[1]);
  size_t free = 0, total = 0;
  check(calls_->memory_info(&free, &total), "the device's memory");
  facts_.memory_bytes = static_cast<int64_t>(total);
}

void Device::open(int index) {
  if (api_ == Api::kCuda) {
    int (*retain)(void**, int) = nullptr;
    int (*set_current)(void*) = nullptr;
    library_.load(retain, "cuDevicePrimaryCtxRetain");
    library_.load(set_current, "cuCtxSetCurrent");
    void* context = nullptr;
    check(retain(&context, device_), "opening the device");
    check(set_current(context), "opening the device");
  } else {
    int (*set_device)(int) = nullptr;
    library_.load(set_device, "hipSetDevice");
    check(set_device(index), "opening the device");
  }
  constexpr unsigned kNonBlocking = 1;
  check(calls_->stream_create(&stream_, kNonBlocking), "creating a stream");
}

void Device::check(int code, const char* what) const {
  if (code == 0) return;
  const char* text = nullptr;
  if (calls_->error_text(code, &text) != 0 || text == nullptr) text = "unknown error";
  throw Failure(code == kOutOfMemory ? "memory" : "device",
                std::string(what) + ": error " + std::to_string(code) + ", " + text);
}

int Device::attribute(int cuda, int hip) const {
  int value = 0;
  check(calls_->device_attribute(&value, api_ == Api::kCuda ? cuda : hip, device_), "reading the device's attributes");
  return value;
}

DevicePointer Device::allocate(int64_t bytes) const {
  DevicePointer pointer = 0;
  check(calls_->memory_allocate(&pointer, static_cast<size_t>(bytes)), "allocating memory");
  return pointer;
}

void Device::release(DevicePointer pointer) const {
  check(calls_->memory_free(pointer), "freeing memory");
}

void* Device::allocate_pinned(int64_t bytes) const {
  void* pointer = nullptr;
  check(calls_->host_allocate(&pointer, static_cast<size_t>(bytes), 0), "allocating host memory");
  return pointer;
}

int64_t Device::free_bytes() const {
  size_t free = 0, total = 0;
  check(calls_->memory_info(&free, &total), "the device's memory");
  return static_cast<int64_t>(free);
}

void Device::copy_in(DevicePointer to, const void* from, int64_t bytes) const {
  check(calls_->copy_in(to, from, static_cast<size_t>(bytes)), "copying to the device");
}

void Device::copy_out(void* to, DevicePointer from, int64_t bytes) const {
  check(calls_->copy_out(to, from, static_cast<size_t>(bytes)), "copying from the device");
}

void Device::copy_within(DevicePointer to, DevicePointer from, int64_t bytes) const {
  check(calls_->copy_within(to, from, static_cast<size_t>(bytes)), "copying on the device");
}

void Device::set_bytes(DevicePointer to, unsigned char value, int64_t bytes) const {
  check(calls_->set_bytes(to, value, static_cast<size_t>(bytes), stream_), "filling memory");
}

Kernel Device::load(const std::string& image, const std::string& symbol, const Job& job) const {
  void* module = nullptr;
  Kernel kernel;
  check(calls_->module_load(&module, image.data()), "loading the kernel");
  check(calls_->module_function(&kernel.function, module, symbol.c_str()), "finding the kernel");
  check(calls_->function_attribute(&kernel.registers, kFunctionRegisters, kernel.function), "the kernel's registers");
  check(calls_->function_attribute(&kernel.shared_bytes, kFunctionSharedBytes, kernel.function),
        "the kernel's shared memory");
  if (api_ == Api::kCuda && job.shared_bytes > kDefaultDynamicShared)
    check(
        calls_->set_function_attribute(kernel.function, kFunctionMaxDynamicShared, static_cast<int>(job.shared_bytes)),
        "asking for the kernel's shared memory");
  const int64_t threads = job.block[0] * job.block[1] * job.block[2];
  check(calls_->occupancy(&kernel.occupancy, kernel.function, static_cast<int>(threads),
                          static_cast<size_t>(job.shared_bytes)),
        "the kernel's occupancy");
  return kernel;
}

void Device::launch(const Kernel& kernel, const Job& job, void** arguments) const {
  const auto axis = [](int64_t value) { return static_cast<unsigned>(value); };
  check(calls_->launch(kernel.function, axis(job.grid[0]), axis(job.grid[1]), axis(job.grid[2]), axis(job.block[0]),
                       axis(job.block[1]), axis(job.block[2]), axis(job.shared_bytes), stream_, arguments, nullptr),
        "launching the kernel");
}

void Device::wait() const {
  check(calls_->stream_wait(stream_), "running the kernel");
}

void* Device::create_event() const {
  void* event = nullptr;
  check(calls_->event_create(&event, 0), "creating an event");
  return event;
}

void Device::record(void* event) const {
  check(calls_->event_record(event, stream_), "recording an event");
}

double Device::elapsed_ms(void* start, void* stop) const {
  float ms = 0;
  check(calls_->event_elapsed(&ms, start, stop), "reading an event");
  return ms;
}

void Device::reset_persisting_l2() const {
  if (api_ != Api::kCuda) return;
  int (*set_limit)(int, size_t) = nullptr;
  int (*reset)() = nullptr;
  library_.load(set_limit, "cuCtxSetLimit");
  library_.load(reset, "cuCtxResetPersistingL2Cache");
  set_limit(kLimitPersistingL2, 0);  // refused where the device has no such limit: then there is nothing to reset
  reset();
}

}  // namespace swizzleperf::runner

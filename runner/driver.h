// The part of the CUDA driver API, or of HIP, that the runner uses. Both have functions of the same shapes, so that one
// table serves for either; it is filled from the library at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runner/job.h"
#include "runner/library.h"

namespace swizzleperf::runner {

using DevicePointer = uint64_t;

struct DeviceFacts {
  std::string name;
  std::string bus_id;
  int driver_version = 0;  // as the library counts: CUDA 13.0 is 13000
  int compute_units = 0;
  int64_t l2_bytes = 0;
  int64_t memory_bytes = 0;
  int major = 0, minor = 0;  // compute capability; 0 for HIP
};

// A kernel loaded on the device.
struct Kernel {
  void* function = nullptr;
  int registers = 0;     // a thread
  int shared_bytes = 0;  // static, a workgroup
  int occupancy = 0;     // workgroups resident on a compute unit, as the driver computes it
};

// One device and one stream on it. Every method throws Failure("device") on an error of the driver.
class Device {
 public:
  // Throws Failure("missing") without a driver or such a device.
  Device(Api api, int index);

  const DeviceFacts& facts() const { return facts_; }
  Api api() const { return api_; }

  // Throws Failure("memory") where the device has not so much.
  DevicePointer allocate(int64_t bytes) const;
  void release(DevicePointer pointer) const;
  void* allocate_pinned(int64_t bytes) const;
  int64_t free_bytes() const;

  void copy_in(DevicePointer to, const void* from, int64_t bytes) const;
  void copy_out(void* to, DevicePointer from, int64_t bytes) const;
  void copy_within(DevicePointer to, DevicePointer from, int64_t bytes) const;
  void set_bytes(DevicePointer to, unsigned char value, int64_t bytes) const;  // on the stream

  Kernel load(const std::string& image, const std::string& symbol, const Job& job) const;
  void launch(const Kernel& kernel, const Job& job, void** arguments) const;  // on the stream
  void wait() const;

  void* create_event() const;
  void record(void* event) const;
  double elapsed_ms(void* start, void* stop) const;

  // No line of the L2 stays reserved for persisting accesses. CUDA only; elsewhere there is no such thing.
  void reset_persisting_l2() const;

 private:
  struct Calls;
  void check(int code, const char* what) const;
  int attribute(int cuda, int hip) const;
  void open(int index);

  Api api_;
  SharedLibrary library_;
  std::shared_ptr<const Calls> calls_;
  int device_ = 0;
  void* stream_ = nullptr;
  DeviceFacts facts_;
};

}  // namespace swizzleperf::runner

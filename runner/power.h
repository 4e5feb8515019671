// What NVML says of the device: clocks, load, temperature, energy. Without NVML, or on AMD, nothing is known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runner/driver.h"

namespace swizzleperf::runner {

class PowerMeter {
 public:
  explicit PowerMeter(const Device& device);

  // Since the driver was loaded, in mJ.
  std::optional<uint64_t> energy_mj() const;

  // The multiprocessors' clock now, in MHz.
  std::optional<unsigned> clock_mhz() const;

  // JSON: clocks, temperature, power, load, the number of processes that compute on the device, why clocks are held
  // down. null where nothing is known.
  std::string state() const;

 private:
  struct Calls;
  std::shared_ptr<const Calls> calls_;  // null without NVML
  void* handle_ = nullptr;
};

}  // namespace swizzleperf::runner

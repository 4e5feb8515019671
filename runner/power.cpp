#include "runner/power.h"

#include "runner/failure.h"
#include "runner/json.h"

namespace swizzleperf::runner {

struct PowerMeter::Calls {
  struct Load {
    unsigned gpu, memory;  // percent
  };
  int (*init)();
  int (*by_bus_id)(const char*, void**);
  int (*energy)(void*, unsigned long long*);
  int (*clock)(void*, int, unsigned*);
  int (*temperature)(void*, int, unsigned*);
  int (*power)(void*, unsigned*);
  int (*load)(void*, Load*);
  int (*processes)(void*, unsigned*, void*);
  int (*throttle)(void*, unsigned long long*);
  int (*driver_version)(char*, unsigned);
  int (*power_limit)(void*, unsigned*);

  explicit Calls(const SharedLibrary& library) {
    library.load(init, "nvmlInit_v2");
    library.load(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
    library.load(energy, "nvmlDeviceGetTotalEnergyConsumption");
    library.load(clock, "nvmlDeviceGetClockInfo");
    library.load(temperature, "nvmlDeviceGetTemperature");
    library.load(power, "nvmlDeviceGetPowerUsage");
    library.load(load, "nvmlDeviceGetUtilizationRates");
    library.load(processes, "nvmlDeviceGetComputeRunningProcesses");
    library.load(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    library.load(driver_version, "nvmlSystemGetDriverVersion");
    library.load(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  }
};

namespace {

constexpr int kSmClock = 1, kMemoryClock = 2, kCoreTemperature = 0;
constexpr int kTooSmall = 7;  // NVML_ERROR_INSUFFICIENT_SIZE: the answer is the number of processes

}  // namespace

PowerMeter::PowerMeter(const Device& device) {
  if (device.api() != Api::kCuda) return;
  try {
    const SharedLibrary library({"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1"}, "");
    const auto calls = std::make_shared<const Calls>(library);
    if (calls->init() == 0 && calls->by_bus_id(device.facts().bus_id.c_str(), &handle_) == 0) calls_ = calls;
  } catch (const Failure&) {
    // No NVML, or an old one: times are measured without it.
  }
}

std::optional<uint64_t> PowerMeter::energy_mj() const {
  unsigned long long energy = 0;
  if (!calls_ || calls_->energy(handle_, &energy) != 0) return std::nullopt;
  return energy;
}

std::optional<unsigned> PowerMeter::clock_mhz() const {
  unsigned clock = 0;
  if (!calls_ || calls_->clock(handle_, kSmClock, &clock) != 0) return std::nullopt;
  return clock;
}

std::string PowerMeter::state() const {
  if (!calls_) return "null";
  JsonObject result;
  std::array<char, 96> driver{};
  if (calls_->driver_version(driver.data(), static_cast<unsigned>(driver.size())) == 0)
    result.text("driver", driver.data());
  unsigned value = 0;
  if (calls_->clock(handle_, kSmClock, &value) == 0) result.integer("clock_mhz", value);
  if (calls_->clock(handle_, kMemoryClock, &value) == 0) result.integer("memory_clock_mhz", value);
  if (calls_->temperature(handle_, kCoreTemperature, &value) == 0) result.integer("temperature_c", value);
  if (calls_->power(handle_, &value) == 0) result.integer("power_mw", value);
  if (calls_->power_limit(handle_, &value) == 0) result.integer("power_limit_mw", value);
  Calls::Load load{};
  if (calls_->load(handle_, &load) == 0) result.integer("load_percent", load.gpu);
  unsigned processes = 0;
  const int code = calls_->processes(handle_, &processes, nullptr);
  if (code == 0 || code == kTooSmall) result.integer("processes", processes);
  unsigned long long reasons = 0;
  if (calls_->throttle(handle_, &reasons) == 0) result.integer("clock_limits", static_cast<int64_t>(reasons));
  return result.print();
}

}  // namespace swizzleperf::runner

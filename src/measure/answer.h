// The runner's answer, read: times become medians and ratios.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "measure/measurement.h"

namespace swizzleperf {

// `text`: what the runner printed. An answer that says what went wrong becomes an error: missing for a library or a
// device that is not there, user for a kernel that does not compile or fails on the device, internal for a job or an
// answer that cannot be read.
Expected<Measurement> read_answer(const std::string& text);

// The same for a job of the task kRead.
struct DeviceOutputs {
  std::string device;
  int compute_units = 0;
  int64_t l2_bytes = 0;
  std::vector<std::vector<std::vector<double>>> variants;  // by variant and output
};
Expected<DeviceOutputs> read_outputs(const std::string& text);

// Puts the counters that a profiler wrote during another run of the same job beside the times. User error where they
// belong to something else.
Expected<void> add_counters(Measurement& measurement, const std::string& profiler_text);

}  // namespace swizzleperf

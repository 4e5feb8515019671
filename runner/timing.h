// Times of several kernels that do the same work, measured so that they may be compared: every round launches each of
// them, one after the other, the order changing from round to round.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/arguments.h"
#include "runner/driver.h"
#include "runner/power.h"

namespace swizzleperf::runner {

struct Samples {
  std::vector<double> cold_ms;    // by round; what the launch before left is flushed from the caches
  std::vector<double> warm_ms;    // by round; directly after a launch of the same kernel on the same buffers
  std::vector<double> energy_mj;  // of one launch, each the mean over a stretch of launches
};

struct Timing {
  std::vector<Samples> samples;   // by kernel
  std::vector<double> clock_mhz;  // at the end of each round, where it can be read
  int64_t flush_bytes = 0;
  int sets = 0;  // of buffers, taken in turn
};

// `sets`: equal sets of arguments; rounds take them in turn. Kernels are timed with events of the device.
Timing time_kernels(const Device& device, const PowerMeter& meter, const Job& job, const std::vector<Kernel>& kernels,
                    const std::vector<bool>& with_energy, std::vector<ArgumentSet>& sets);

}  // namespace swizzleperf::runner

// Small kernels that find out how a GPU is built: where workgroups run, which side of the L2 a compute unit sits on,
// how much the L2 holds.
#pragma once

#include <string>
#include <vector>

#include "runner/job.h"

namespace swizzleperf {

struct ProbeJob {
  std::string name;  // "place", "sides", "cliff"
  runner::Job job;
};

// What the kernels of probe_jobs() are launched with, and so what their outputs mean.
inline constexpr int kPlaceWaves = 8;                         // workgroups a compute unit
inline constexpr int kSideLines = 96;                         // lines whose latency every compute unit measures
inline constexpr int kCliffSteps = 48;                        // buffer sizes
inline constexpr int kCliffPasses = 8;                        // that are timed together
inline constexpr int64_t kCliffStepBytes = int64_t{5} << 19;  // 2.5 MiB: 48 steps reach 120 MiB

// For a device with so many compute units. HIP's kernels are compiled in the tests, but were never run.
std::vector<ProbeJob> probe_jobs(runner::Api api, int compute_units);

// The kernels' source, which serves CUDA and HIP.
std::string probe_source();

}  // namespace swizzleperf

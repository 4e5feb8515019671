// Counters of a job's variants, from the vendor's profiler around the runner.
#pragma once

#include <chrono>
#include <string>

#include "base/error.h"
#include "measure/measurement.h"
#include "measure/profiler_table.h"
#include "runner/job.h"

namespace swizzleperf {

struct Profile {
  std::string tool;                // "ncu 2025.3.1", "rocprofv3 ..."
  std::vector<Counters> variants;  // one a variant of the job, in its order
};

// Runs the job's variants once each under ncu or rocprofv3. Error (missing) where the profiler is not there or may not
// read the counters. `touched_bytes` as for counters_of_ncu.
Expected<Profile> profile_job(runner::Job job, double touched_bytes,
                              std::chrono::milliseconds limit = std::chrono::minutes(10));

// The counters of a profiler's text, which must hold `variants` launches of `kernel`: user error for other kernels or
// another number of launches, because then they belong to something else.
Expected<std::vector<Counters>> read_counters(const std::string& text, runner::Api api, const std::string& kernel,
                                              size_t variants, double touched_bytes);

// "ns::gemm<float, 128>" -> "gemm": what profilers call the function.
std::string bare_kernel_name(const std::string& kernel);

}  // namespace swizzleperf

// The runner as a child process.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "measure/answer.h"
#include "measure/measurement.h"
#include "runner/job.h"

namespace swizzleperf {

// "cuda:0", "hip:1". User error for anything else.
struct DeviceName {
  runner::Api api = runner::Api::kCuda;
  int index = 0;
};
Expected<DeviceName> parse_device(const std::string& text);

// The runner beside this program, or in PATH. Error (missing) where there is none.
Expected<std::filesystem::path> find_runner();

// Runs the job. A run that exceeds `limit` is killed with everything it started: user error, because a kernel hangs.
Expected<Measurement> run_job(const runner::Job& job, std::chrono::milliseconds limit = std::chrono::minutes(10));

// For a job of the task kRead.
Expected<DeviceOutputs> run_read_job(const runner::Job& job, std::chrono::milliseconds limit = std::chrono::minutes(2));

}  // namespace swizzleperf

// Child processes: argument vectors only (no shell), limits on time, memory and output, killed as a process group.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

struct ProcessLimits {
  std::chrono::milliseconds wall{60'000};
  size_t memory_bytes = size_t{8} << 30;   // RLIMIT_DATA of the child; 0 = no limit
  size_t output_bytes = size_t{16} << 20;  // of stdout and of stderr each; the rest is dropped
};

struct ProcessResult {
  int exit_status = -1;      // exit code; -1 when a signal ended it
  int signal = 0;            // the signal that ended it; 0 = none
  bool timed_out = false;    // killed at limits.wall
  bool interrupted = false;  // killed because this process was asked to stop (SIGINT, SIGTERM)
  std::string out;
  std::string err;
  bool ok() const { return exit_status == 0 && !timed_out; }
};

// Runs argv[0] (looked up in PATH) with `input` on its stdin. Error (missing) when the program does not exist,
// (internal) when the system refuses to start it. A child that fails or is killed is a result, not an error.
Expected<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessLimits& limits = {},
                                    const std::string& input = {}, const std::filesystem::path& folder = {});

// The path of a program found in PATH; empty when there is none.
std::filesystem::path find_program(const std::string& name);

// Makes SIGINT and SIGTERM end running children and set `interrupted()`. Called once, by the command line.
void install_interrupt_handler();
bool interrupted();

}  // namespace swizzleperf

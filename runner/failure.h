// What ends a run early. The runner is a program of its own: it throws, and main() turns this into its answer.
#pragma once

#include <stdexcept>
#include <string>

namespace swizzleperf::runner {

struct Failure : std::runtime_error {
  Failure(std::string what_kind, const std::string& message, std::string of_variant = {})
      : std::runtime_error(message), kind(std::move(what_kind)), variant(std::move(of_variant)) {}
  // "job": the job file is wrong; "missing": no library or device; "compile"; "memory": the device's is too small;
  // "device": the driver reported an error, after which nothing more can be run in this process.
  std::string kind;
  std::string variant;  // which kernel it happened with, where that is known
};

}  // namespace swizzleperf::runner

// A job: one kernel in several variants (the original first), its launch and arguments, and what to do with them. It
// travels as text, so that the machine with the GPU needs nothing but the runner. docs/measuring.md describes the
// format.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/contents.h"

namespace swizzleperf::runner {

struct JobArgument {
  bool buffer = false;
  std::string bytes;  // of a scalar or struct: as it lies in memory. Of a kData buffer: its contents
  DType dtype = DType::kF32;
  int64_t elements = 0;
  ContentsRule init;
  bool output = false;
  bool poisoned = false;  // an output without contents: filled with 0xFB bytes before every checked launch
  double tolerance = 0;   // 0: bit-equal
};

struct JobVariant {
  std::string name;
  std::string source;
  bool energy = false;  // its energy is measured, too
};

enum class Api { kCuda, kHip };
// kProfile: one launch a variant, for a profiler around this process. kRead: the same, and the answer holds what the
// outputs hold.
enum class Task { kMeasure, kProfile, kRead };

struct Job {
  Api api = Api::kCuda;
  Task task = Task::kMeasure;
  int device = 0;
  std::string file;                  // the source's name, for compiler messages
  std::string kernel;                // as in the case: may be qualified and instantiated
  std::vector<std::string> options;  // for the compiler
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t shared_bytes = 0;
  int seeds = 2;            // how many sets of contents outputs are compared with
  int min_rounds = 11;      // of interleaved launches of all variants
  int max_rounds = 101;     //
  int64_t budget_ms = 400;  // of one variant's launches, within the bounds above
  int64_t energy_ms = 300;  // of launches of one variant for its energy; 0: not measured
  std::string note;         // JSON that the answer repeats; empty: none
  std::vector<JobArgument> arguments;
  std::vector<JobVariant> variants;
};

std::string print_job(const Job& job);

// Throws Failure("job") with the line where the text is no job.
Job parse_job(const std::string& text);

}  // namespace swizzleperf::runner

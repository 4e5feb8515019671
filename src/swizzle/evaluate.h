// Vectorised evaluation of a program over launch ids. Private to src/swizzle.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "swizzle/program.h"

namespace swizzleperf::detail {

// Smallest and largest value of each register over the ids for which C would evaluate it.
struct RegisterRange {
  int64_t low = INT64_MAX;
  int64_t high = INT64_MIN;
};

enum class Input { kWg, kWgX, kWgY, kWgZ, kGridX, kGridY, kGridZ, kNumWgs, kOutside };
Input input_of(const std::string& name);

class Evaluator {
 public:
  static constexpr int64_t kBlock = 512;  // ids at a time: a register is 4 KiB, a typical map's registers fit in an L2

  // User error for a name that is neither an input nor in `sizes`.
  static Expected<Evaluator> create(const Program& program, const Grid& grid, const Sizes& sizes);

  // Evaluates ids first ... first + count - 1; count <= kBlock. A fault is a user error with the place in the map.
  Expected<void> run(int64_t first, int64_t count);
  const int64_t* values(int reg) const { return registers_[static_cast<size_t>(reg)].data(); }

  // Adds the last block's values to `ranges` (one entry a register).
  void accumulate(std::vector<RegisterRange>& ranges, int64_t count) const;

 private:
  Evaluator(const Program& program, const Grid& grid) : program_(&program), grid_(grid) {}
  Expected<void> execute(size_t index, int64_t first, int64_t count);
  void load_input(size_t index, int64_t first, int64_t count);
  tl::unexpected<Error> fault(size_t index, int64_t id, const char* what) const;
  bool active(const Operation& operation, int64_t lane) const;

  template <class Compute>
  Expected<void> checked(size_t index, int64_t first, int64_t count, Compute compute);
  template <class Compute>
  void unchecked(size_t index, int64_t count, Compute compute);
  Expected<void> divide(size_t index, int64_t first, int64_t count);
  Expected<void> curve(size_t index, int64_t first, int64_t count);

  const Program* program_;
  Grid grid_;
  std::vector<std::vector<int64_t>> registers_;
  std::vector<bool> uniform_;          // the same for every id: evaluated once
  std::vector<RegisterRange> bounds_;  // of each register in the current block, over all lanes
  std::vector<int64_t> outside_;       // value of each outside name
  bool uniforms_done_ = false;
  std::map<std::array<int64_t, 3>, std::vector<SmallCell>> curves_;  // by curve, rows and columns
};

}  // namespace swizzleperf::detail

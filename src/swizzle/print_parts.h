// What the printers of the target languages share. Private to src/swizzle.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "swizzle/format.h"
#include "swizzle/print.h"
#include "swizzle/ranges.h"

namespace swizzleperf::detail {

// A map with all that its printing depends on.
struct Printing {
  const Swizzle& swizzle;
  const PrintOptions& options;
  std::vector<Grid> grids;            // guarded: the grids on which the map is active
  std::vector<RegisterRange> ranges;  // of every register, on those grids or on all up to `most` workgroups
  bool narrow = false;                // 32-bit arithmetic suffices
  int64_t most = 0;                   // unguarded: the largest grid on which the map is active
  std::set<std::string> assigned;     // the program's own variables

  const Program& program() const { return swizzle.expr().program(); }
  const std::string& prefix() const { return options.prefix; }
};

bool is_launch_name(const std::string& name);  // wg, wg_x, ..., num_wgs
bool uses_call(const Program& program, const std::string& name);

std::string replace_all(std::string text, const std::string& from, const std::string& to);
std::string indented(const std::string& text, const std::string& indent);

// Names of the launch's own values that the code needs: those that the program reads, and what they are made of.
std::set<std::string> needed_launch_values(const Program& program);

// Statements that turn the program's variables into the three results; `assign(axis, value)` makes one.
template <class Assign>
std::string results(const Program& program, const std::string& p, Assign assign) {
  if (program.linear_result) {
    return assign(0, fmt::format("{0}v_pid % {0}grid_x", p)) +
           assign(1, fmt::format("{0}v_pid / {0}grid_x % {0}grid_y", p)) +
           assign(2, fmt::format("{0}v_pid / {0}grid_x / {0}grid_y", p));
  }
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    text += assign(axis, axis < program.result_axes ? fmt::format("{}v_pid_{}", p, "xyz"[axis]) : std::string("0"));
  }
  return text;
}

// Integer operations that the printed code adds to a workgroup, the guard and the steps of curves included.
int operation_count(const Printing& printing);

PrintedMap print_device(const Printing& printing);  // HIP and CUDA
PrintedMap print_c(const Printing& printing);
PrintedMap print_triton(const Printing& printing);

}  // namespace swizzleperf::detail

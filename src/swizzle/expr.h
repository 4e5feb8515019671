// SwizzleExpr: a parsed map program, not yet proven. docs/map-language.md is its reference; DESIGN.md its plan.
// Semantics: 64-bit signed integers, truncating / and %, C precedence, && || ?: evaluate only what they need.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "swizzle/grid.h"

namespace swizzleperf {

// Values of the names that a program may use beside wg, wg_x..., grid_x..., num_wgs: num_xcds, cus_per_xcd and the
// case's sizes.
using Sizes = std::map<std::string, int64_t>;

namespace detail {
struct Program;  // the syntax tree and its compiled, vectorised form
}

class SwizzleExpr {
 public:
  // User error with line and column on a syntax error, a reserved or unassigned name, a literal beyond 64 bits, a
  // missing result (pid or pid_x...), or a program beyond the limits (64 KiB of text, 4096 operations, nesting 200).
  static Expected<SwizzleExpr> parse(std::string_view text, std::string_view file_name = "map");

  const std::string& text() const;                     // as parsed, normalised: parse(text()) == *this
  const std::vector<std::string>& free_names() const;  // inputs it reads, sorted, without repeats
  int result_axes() const;                             // 1: pid (linear) or pid_x alone with a 1-D result; 2, 3
  int operation_count() const;                         // integer operations per workgroup, a measure of its cost
  const detail::Program& program() const { return *program_; }

 private:
  explicit SwizzleExpr(std::shared_ptr<const detail::Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const detail::Program> program_;
};

// A single expression over `sizes` (no wg): used by case files for grid, block and shapes. "ceil_div(N, 128)".
Expected<int64_t> evaluate_expression(std::string_view text, const Sizes& sizes,
                                      std::string_view file_name = "expression");

}  // namespace swizzleperf

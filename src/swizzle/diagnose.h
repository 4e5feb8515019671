// What `swizzleperf check` says beyond bijective or not: where a map fails on other grids, and which correct form it
// was meant to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "swizzle/swizzle.h"

namespace swizzleperf {

struct FailingGrids {
  int64_t tried = 0;
  int64_t failing = 0;         // not a bijection there, or a fault of the program
  std::vector<Grid> examples;  // the first ones, at most 8
};

// One axis: every size 1 ... up_to. More axes: each axis takes every size 1 ... up_to while the others stay, and all
// axes take the same size where the grid stays within 2^20 workgroups. User error when up_to is out of range or the
// grids together hold more than 2^31 workgroups.
Expected<FailingGrids> failing_grids(const SwizzleExpr& expr, const Grid& grid, const Sizes& sizes, int64_t up_to);

struct Suggestion {
  std::string reason;
  std::string map;  // proven on the grid
};

// A correct form near to what the map does, where its way of failing is a known one: ranges of XCDs that do not add up
// (floor, ceil and other remainders), chunks without a right tail, groups without a right last one, launches that leave
// the grid alone. Compares functions, not text. `tiles` is evaluate_map's result; without num_xcds in `sizes` there is
// one XCD.
std::optional<Suggestion> suggest(const SwizzleExpr& expr, const Grid& grid, const std::vector<int32_t>& tiles,
                                  const Sizes& sizes);

}  // namespace swizzleperf

// Which integers a map's operations may produce: exactly on given grids, or an enclosure on all grids up to a size.
// Private to src/swizzle.
#pragma once

#include <vector>

#include "swizzle/evaluate.h"
#include "swizzle/expr.h"

namespace swizzleperf::detail {

// Ranges of every register over the ids for which C would evaluate it, by evaluating all of them.
Expected<std::vector<RegisterRange>> exact_ranges(const Program& program, const std::vector<Grid>& grids,
                                                  const Sizes& sizes);

// An enclosure for every grid of at most `most` workgroups (interval arithmetic). Assumes that no operation faults
// there; a range that could leave 64 bits is [INT64_MIN, INT64_MAX].
std::vector<RegisterRange> enclosing_ranges(const Program& program, int64_t most, const Sizes& sizes);

// True when 32-bit arithmetic computes the same: all values fit, and so does what the printed built-ins and shifts
// compute inside. `most`: as for enclosing_ranges, or the largest of the grids.
bool fits_32_bits(const Program& program, const std::vector<RegisterRange>& ranges, int64_t most);

// The same for 64 bits, for grids whose faults have not been excluded one by one.
bool fits_64_bits(const std::vector<RegisterRange>& ranges);

}  // namespace swizzleperf::detail

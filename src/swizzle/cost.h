// What the index arithmetic of a map costs a kernel.
#pragma once

#include "swizzle/expr.h"

namespace swizzleperf {

// Instructions that a map adds to every wave of a kernel, about: one an operation, more for divisions (26 by a value, 6
// by a constant, 3 for a remainder beside its quotient) and 40 a step of a space-filling curve, which takes one step a
// bit of the number of workgroups. The figures are what clang 19 makes of each for gfx942 in 32 bits at -O3.
int estimate_instructions(const SwizzleExpr& expr, const Grid& grid);

}  // namespace swizzleperf

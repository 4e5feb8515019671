// Comparison of an output before and after a rewrite.
#pragma once

#include <optional>
#include <string>

#include "workload/case.h"

namespace swizzleperf {

// nullopt when the outputs are equal, else what differs first.
//
// Another order of workgroups computes the same bits, so that is what is asked for. Only atomics add in another order:
// with `atomics` a floating output that states a tolerance is compared by value, |a - b| <= tolerance * max(1, |a|).
// NaN never equals a number, nor does an infinity.
std::optional<std::string> output_difference(const Argument& argument, const std::string& before,
                                             const std::string& after, bool atomics);

// fp16 and bf16 bits as a number; exact.
double half_value(uint16_t bits);
double bfloat16_value(uint16_t bits);

}  // namespace swizzleperf

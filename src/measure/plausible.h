// Figures of profilers that cannot be right.
#pragma once

#include <optional>

#include "measure/measurement.h"

namespace swizzleperf {

// Rounded; none for what is negative, not finite or too large to be a count.
std::optional<int64_t> whole(std::optional<double> value);

// Takes out what contradicts itself, and says so in the flags: more hits than requests, a time of zero, no request at
// all, fewer bytes from DRAM than the launch must read from cold caches (`touched_bytes`, 0: unknown).
void drop_impossible(Counters& counters, double touched_bytes);

}  // namespace swizzleperf

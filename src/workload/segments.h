// Byte ranges of one memory instruction of a wave.
#pragma once

#include <vector>

#include "workload/workload.h"

namespace swizzleperf {

// Sorts by offset and merges ranges that overlap or meet.
void coalesce(std::vector<Segment>& segments);

}  // namespace swizzleperf

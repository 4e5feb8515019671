// Earlier tries in words, as a prompt shows them.
#pragma once

#include <string>
#include <vector>

#include "llm/context.h"

namespace swizzleperf {

// The tries `shown`, numbered from 1. `counters`: with hit rates and bytes, else with the time alone.
std::string describe_tries(const Tries& tries, const std::vector<size_t>& shown, const TryNotes& notes,
                           const Prediction& baseline, const GpuSpec& gpu, bool counters);

// One prediction against the launch order's, in a line: the answer of the tool predict().
std::string describe_prediction(const Prediction& prediction, const Prediction& baseline, const GpuSpec& gpu,
                                bool counters);

}  // namespace swizzleperf

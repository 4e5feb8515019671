// Why an order costs what it costs, in words and numbers.
#pragma once

#include <string>
#include <vector>

#include "model/explain.h"
#include "report/json.h"

namespace swizzleperf {

// A table of the arrays and a sentence for everything in it that costs: lines fetched by several L2s or several times
// by one, accesses that pile up on few channels, arrays that nothing reuses.
std::string format_explanation(const std::vector<ArrayTraffic>& arrays, const Workload& workload, const GpuSpec& gpu);

Json to_json(const std::vector<ArrayTraffic>& arrays);

}  // namespace swizzleperf

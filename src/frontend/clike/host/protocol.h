// What the trace host and its parent say to each other. Request: one JSON object on stdin. Answer: a file of 64-bit
// integers. Failure: exit code kFailed and one JSON object on stderr: blame, message, site, other_site (offsets in the
// library; 0: none).
#pragma once

#include <nlohmann/json.hpp>

#include "workload/case.h"

namespace swizzleperf::host {

inline constexpr int kFailed = 10;

nlohmann::json to_json(const Argument& argument);
Argument argument_from_json(const nlohmann::json& json);

}  // namespace swizzleperf::host

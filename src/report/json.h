// The JSON that `--json` prints. Field names are an interface: docs/json.md.
#pragma once

#include <nlohmann/json.hpp>

#include "model/prediction.h"
#include "search/search.h"
#include "verify/gate.h"

namespace swizzleperf {

using Json = nlohmann::ordered_json;

// Rates are fractions 0..1, sizes bytes, times milliseconds. `gpu` decides whether LLC fields are present.
Json to_json(const Prediction& prediction, const GpuSpec& gpu);
Json to_json(const Candidate& candidate, const GpuSpec& gpu);
Json to_json(const GateReport& report);

// Two-space indentation and a final newline; bytes that are not UTF-8 are replaced, never an exception.
std::string print(const Json& json);

}  // namespace swizzleperf

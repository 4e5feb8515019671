// A kernel's reuse in words and numbers.
#pragma once

#include <string>

#include "gpu/gpu_spec.h"
#include "report/json.h"
#include "workload/reuse.h"

namespace swizzleperf {

// A table of the arrays and one sentence each: who shares it, and how it compares with one L2.
std::string format_reuse(const Reuse& reuse, const GpuSpec& gpu);

Json to_json(const Reuse& reuse);

}  // namespace swizzleperf

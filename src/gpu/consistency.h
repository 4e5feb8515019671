// Relations between the figures of a GPU that the model relies on. Private to src/gpu.
#pragma once

#include "base/toml.h"
#include "gpu/gpu_spec.h"

namespace swizzleperf {

// User error with the place of the field that makes no sense.
Expected<void> check_consistency(const GpuSpec& gpu, const toml::table& root, const std::string& file);

}  // namespace swizzleperf

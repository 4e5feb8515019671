// `swizzleperf analyze --triton-cache DIR`: the kernels in a cache of Triton.
#pragma once

#include <string>

namespace swizzleperf {

int analyze_triton_cache(const std::string& folder, bool json);

}  // namespace swizzleperf

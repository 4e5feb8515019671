// NVIDIA's Nsight Compute: how it is called, and what it answers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "measure/measurement.h"
#include "measure/profiler_table.h"

namespace swizzleperf {

// The arguments of `ncu` before those of the program it runs. `kernel`: the function's bare name; launches of others
// are not profiled. `table`: where ncu writes its CSV, apart from what the program prints.
std::vector<std::string> ncu_arguments(const std::string& kernel, const std::filesystem::path& table);

// The launches of a CSV of ncu, pages `raw` and `details`, alone or between other output. Error (missing) where the
// counters may not be read; user error where nothing was profiled, or with what ncu says went wrong.
Expected<std::vector<ProfiledLaunch>> parse_ncu(const std::string& text);

// `touched_bytes`: distinct bytes that the launch reads, 0 where unknown: from cold caches no less can come from DRAM.
Counters counters_of_ncu(const ProfiledLaunch& launch, double touched_bytes);

}  // namespace swizzleperf

// AMD's rocprofv3: how it is called, and what it answers. Written after its documented formats; the parser also reads
// the wide tables of its predecessors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "measure/measurement.h"
#include "measure/profiler_table.h"

namespace swizzleperf {

// The arguments of `rocprofv3` before those of the program it runs. It writes `folder`/counters_counter_collection.csv.
std::vector<std::string> rocprof_arguments(const std::string& kernel, const std::filesystem::path& folder);

// The launches of a counter_collection CSV or JSON of rocprofv3. A counter that is listed several times for a launch,
// once for each XCD or channel, is the sum. Several texts, one a pass, may be joined: launches are told apart by their
// order within a pass. User error where there is no table.
Expected<std::vector<ProfiledLaunch>> parse_rocprof(const std::string& text);

Counters counters_of_rocprof(const ProfiledLaunch& launch);

}  // namespace swizzleperf

// The verb `profile`: counters of a kernel in several orders, predicted beside measured.
#pragma once

#include <CLI/CLI.hpp>

namespace swizzleperf {

void add_profile(CLI::App& app, int& exit_code);

}  // namespace swizzleperf

// The verb `measure`: runs a kernel in several orders on a GPU and compares them.
#pragma once

#include <CLI/CLI.hpp>

namespace swizzleperf {

void add_measure(CLI::App& app, int& exit_code);

}  // namespace swizzleperf

// The verb `doctor`: what is there, what is missing, and how to get it.
#pragma once

#include <CLI/CLI.hpp>

namespace swizzleperf {

void add_doctor(CLI::App& app, int& exit_code);

}  // namespace swizzleperf

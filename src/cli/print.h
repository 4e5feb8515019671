// The verb `swizzleperf print`.
#pragma once

#include <CLI/CLI.hpp>

namespace swizzleperf {

// Registers the verb; when it runs, `exit_code` receives the documented exit code.
void add_print(CLI::App& app, int& exit_code);

}  // namespace swizzleperf

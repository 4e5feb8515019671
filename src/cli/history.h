// The verb `swizzleperf history`: which runs are recorded, one of them, all of it.
#pragma once

#include <CLI/CLI.hpp>

namespace swizzleperf {

// Registers the verb; when it runs, `exit_code` receives the documented exit code.
void add_history(CLI::App& app, int& exit_code);

}  // namespace swizzleperf

// swizzleperf mcp: the tools of this program for coding agents, over stdio.
#pragma once

#include <CLI/CLI.hpp>

namespace swizzleperf {

void add_mcp(CLI::App& app, int& exit_code);

}  // namespace swizzleperf

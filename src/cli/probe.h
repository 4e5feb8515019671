// The verb `probe`: measures how a GPU is built, and writes a gpus/ file of it.
#pragma once

#include <CLI/CLI.hpp>

namespace swizzleperf {

void add_probe(CLI::App& app, int& exit_code);

}  // namespace swizzleperf

// The MCP server's input and output: lines from one descriptor, answers to another, one call at a time worked on by a
// child process, which is killed when its request is cancelled.
#pragma once

#include <chrono>
#include <filesystem>

#include "mcp/protocol.h"

namespace swizzleperf {

struct McpLimits {
  size_t line_bytes = size_t{4} << 20;  // a longer line is answered with an error and skipped
  std::chrono::milliseconds call{600'000};
};

// Serves until the input ends (what was asked for by then is answered) or the process is interrupted. `program` is run
// for each call. Returns an error when the output cannot be written.
Expected<void> serve_mcp(McpProtocol protocol, const std::filesystem::path& program, int input, int output,
                         const McpLimits& limits = {});

}  // namespace swizzleperf

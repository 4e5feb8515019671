// depends: swizzleperf_mcp
// Any line to the MCP server: nothing, or an answer that is one line of JSON-RPC, or a call whose command is of values.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "mcp/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swizzleperf;
  static McpProtocol protocol(load_mcp_tools().value(), "0");
  const std::string line(reinterpret_cast<const char*>(data), size);
  const McpAction action = protocol.handle(line);
  if (!action.reply.empty()) {
    const auto json = nlohmann::json::parse(action.reply, nullptr, false);
    if (!json.is_object() || json["jsonrpc"] != "2.0" || action.reply.find('\n') != std::string::npos) std::abort();
  }
  if (action.call) {
    const auto& command = action.call->command;
    if (command.back() != "--json") std::abort();
    for (size_t i = 1; i < command.size(); ++i)
      if (command[i].starts_with("--in-place") || command[i].starts_with("--patch")) std::abort();
  }
  if (size < 4096) {
    for (const McpTool& tool : protocol.tools()) static_cast<void>(command_line(tool, line));
  }
  return 0;
}

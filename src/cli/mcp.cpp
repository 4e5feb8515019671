#include "cli/mcp.h"

#include <unistd.h>

#include "cli/session.h"
#include "mcp/server.h"

namespace swizzleperf {
namespace {

int run_mcp(const std::string& version) {
  auto tools = load_mcp_tools();
  if (!tools) return report_error(tools.error());
  const auto served = serve_mcp(McpProtocol(std::move(*tools), version), "/proc/self/exe", STDIN_FILENO, STDOUT_FILENO);
  return served ? 0 : report_error(served.error());
}

}  // namespace

void add_mcp(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("mcp",
                                  "Serve analyze, predict, check, optimize, gpu_facts and rewrite to a coding agent, "
                                  "by the Model Context Protocol over stdio");
  const std::string version = app.version();
  verb->callback([version, &exit_code] { exit_code = run_mcp(version.substr(version.rfind(' ') + 1)); });
}

}  // namespace swizzleperf

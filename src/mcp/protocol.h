// The Model Context Protocol's server side without its input and output: a line in, what to do out.
// https://modelcontextprotocol.io/specification; JSON-RPC 2.0, https://www.jsonrpc.org/specification.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

// A tool and the verb of the command line that does its work.
struct McpTool {
  std::string name;
  std::string verb;
  std::string description;
  std::string input_schema;  // JSON
};

// The tools of data/mcp/tools.json.
Expected<std::vector<McpTool>> load_mcp_tools();

// The verb and its arguments, without the program: {"check", "--map=pid = wg", "--grid=8", "--json"}. User error that
// names the argument where one is missing, unknown or of another type. Arguments of a call are values, never options:
// each is bound to its option's name.
Expected<std::vector<std::string>> command_line(const McpTool& tool, const std::string& arguments);

// A call that is to be worked on; its answer is call_result() or call_failed().
struct McpCall {
  std::string id;  // JSON of the request's id
  size_t tool = 0;
  std::vector<std::string> command;
};

struct McpAction {
  std::string reply = {};            // a line to write at once, without its newline; empty: none
  std::optional<McpCall> call = {};  // to be worked on
  std::string cancelled = {};        // JSON of the id of a request whose answer nobody wants any more; empty: none
};

class McpProtocol {
 public:
  McpProtocol(std::vector<McpTool> tools, std::string version)
      : tools_(std::move(tools)), version_(std::move(version)) {}

  // Any bytes without a newline.
  McpAction handle(std::string_view line);

  const std::vector<McpTool>& tools() const { return tools_; }

 private:
  std::string initialize(const std::string& id, const std::string& params) const;
  std::string list(const std::string& id) const;
  McpAction start_call(const std::string& id, const std::string& params) const;
  std::vector<McpTool> tools_;
  std::string version_;
};

// The answer of a call: `json` as text and, where it is an object, as structured content.
std::string call_result(const std::string& id, const std::string& json);
// A call that failed is an answer too: the words are for the model that made it.
std::string call_failed(const std::string& id, const std::string& words);

}  // namespace swizzleperf

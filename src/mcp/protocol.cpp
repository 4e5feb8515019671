#include "mcp/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/nearest.h"
#include "llm/json_text.h"

namespace swizzleperf {
namespace {

// Of JSON-RPC 2.0.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kNoSuchMethod = -32601;
constexpr int kInvalidParams = -32602;

// Versions of the protocol that this server speaks, newest first: what it uses of them is the same in all.
constexpr std::array<const char*, 4> kVersions = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

std::string answer(const std::string& id, const char* kind, const Json& content) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"{}":{}}})", id, kind, dump(content));
}

std::string failure(const std::string& id, int code, const std::string& message) {
  return answer(id, "error", {{"code", code}, {"message", message}});
}

Json text_content(const std::string& text, bool error) {
  Json json;
  json["content"] = Json::array({{{"type", "text"}, {"text", text}}});
  json["isError"] = error;
  return json;
}

bool valid_id(const Json& id) {
  return id.is_string() || id.is_number_integer();
}

// The option that carries one argument, or nothing where its value has another type than the schema says.
bool append_argument(const std::string& name, const Json& value, const Json& schema,
                     std::vector<std::string>& command) {
  std::string option = "--" + name;
  std::replace(option.begin(), option.end(), '_', '-');
  const std::string type = text_field(schema, "type");
  if (type == "string" && value.is_string()) {
    command.push_back(option + "=" + value.get<std::string>());
  } else if (type == "integer" && value.is_number_integer()) {
    command.push_back(option + "=" + dump(value));
  } else if (type == "boolean" && value.is_boolean()) {
    if (value.get<bool>()) command.push_back(option);
  } else if (type == "array" && value.is_array()) {
    for (const Json& entry : value) {
      if (!entry.is_string()) return false;
      command.push_back(option + "=" + entry.get<std::string>());
    }
  } else {
    return false;
  }
  return true;
}

bool positional(const std::string& name) {
  return name == "case" || name == "name";
}

Expected<void> check_names(const Json& arguments, const Json& schema) {
  const Json& properties = field(schema, "properties");
  std::vector<std::string> names;
  for (const auto& [name, unused] : properties.items()) names.push_back(name);
  for (const auto& [name, unused] : arguments.items())
    if (!properties.contains(name))
      return user_error(fmt::format("there is no argument '{}'", name), {}, known_names(name, names));
  for (const Json& name : field(schema, "required"))
    if (!arguments.contains(name.get<std::string>()))
      return user_error(fmt::format("the argument '{}' is missing", name.get<std::string>()));
  return {};
}

}  // namespace

Expected<std::vector<McpTool>> load_mcp_tools() {
  const auto path = data_folder() / "data" / "mcp" / "tools.json";
  const auto text = read_file(path, 1 << 20);
  const auto json = text ? parse_json(*text) : std::nullopt;
  if (!json || !json->is_array())
    return missing("the list of tools is missing or damaged", {path.string()}, "install anew, or set SWIZZLEPERF_HOME");
  std::vector<McpTool> tools;
  for (const Json& tool : *json)
    tools.push_back({text_field(tool, "name"), text_field(tool, "verb"), text_field(tool, "description"),
                     dump(field(tool, "inputSchema"))});
  return tools;
}

Expected<std::vector<std::string>> command_line(const McpTool& tool, const std::string& arguments) {
  const auto schema = parse_json(tool.input_schema);
  const auto given = parse_json(arguments);
  if (!schema || !given || !given->is_object()) return user_error("the arguments are no JSON object");
  if (auto status = check_names(*given, *schema); !status) return tl::unexpected(status.error());
  std::vector<std::string> command = {tool.verb};
  for (const auto& [name, value] : given->items()) {
    const Json& property = field(field(*schema, "properties"), name.c_str());
    if (positional(name)) {
      if (!value.is_string() || value.get<std::string>().starts_with('-') || value.get<std::string>().empty())
        return user_error(fmt::format("the argument '{}' is no name of a file or GPU", name));
      command.push_back(value.get<std::string>());
    } else if (!append_argument(name, value, property, command)) {
      return user_error(fmt::format("the argument '{}' must be of type {}", name, text_field(property, "type")));
    }
  }
  const bool has_zero = std::any_of(command.begin(), command.end(),
                                    [](const std::string& a) { return a.find('\0') != std::string::npos; });
  if (has_zero) return user_error("an argument has a zero byte");
  command.emplace_back("--json");
  return command;
}

std::string McpProtocol::initialize(const std::string& id, const std::string& params) const {
  const auto json = parse_json(params);
  const std::string asked = json ? text_field(*json, "protocolVersion") : "";
  const bool spoken = std::find(kVersions.begin(), kVersions.end(), asked) != kVersions.end();
  Json result = {{"protocolVersion", spoken ? asked : kVersions.front()}};
  result["capabilities"] = {{"tools", {{"listChanged", false}}}};
  result["serverInfo"] = {{"name", "swizzleperf"}, {"version", version_}};
  result["instructions"] =
      "Tools that find, prove and insert the workgroup order of a GPU kernel that makes the best use of the L2 caches. "
      "Begin with analyze on a case file; predict and check maps of your own; optimize or rewrite return a verified "
      "patch.";
  return answer(id, "result", result);
}

std::string McpProtocol::list(const std::string& id) const {
  Json tools = Json::array();
  for (const McpTool& tool : tools_) {
    Json entry = {{"name", tool.name}, {"description", tool.description}};
    entry["inputSchema"] = parse_json(tool.input_schema).value_or(Json::object());
    entry["annotations"] = {{"readOnlyHint", true}, {"openWorldHint", false}};
    tools.push_back(std::move(entry));
  }
  return answer(id, "result", {{"tools", std::move(tools)}});
}

McpAction McpProtocol::start_call(const std::string& id, const std::string& params) const {
  const auto json = parse_json(params);
  const std::string name = json ? text_field(*json, "name") : "";
  const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const McpTool& one) { return one.name == name; });
  if (tool == tools_.end()) return {.reply = failure(id, kInvalidParams, fmt::format("there is no tool '{}'", name))};
  const Json& arguments = field(*json, "arguments");
  const auto command = command_line(*tool, arguments.is_null() ? "{}" : dump(arguments));
  if (!command) return {.reply = failure(id, kInvalidParams, describe(command.error()))};
  return {.call = McpCall{id, static_cast<size_t>(tool - tools_.begin()), *command}};
}

McpAction McpProtocol::handle(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  const auto json = parse_json(line);
  if (!json) return {.reply = failure("null", kParseError, "no JSON")};
  if (!json->is_object()) return {.reply = failure("null", kInvalidRequest, "a message is one JSON object")};
  const Json& method = field(*json, "method");
  const bool has_id = json->contains("id");
  if (!method.is_string() && has_id && (json->contains("result") || json->contains("error")))
    return {};  // an answer to nothing we asked
  const std::string id = valid_id(field(*json, "id")) ? dump(field(*json, "id")) : "null";
  if (text_field(*json, "jsonrpc") != "2.0" || !method.is_string() || (has_id && id == "null"))
    return {.reply = failure(id, kInvalidRequest, "not a request of JSON-RPC 2.0")};
  const std::string name = method.get<std::string>();
  const Json& params = field(*json, "params");
  if (!has_id) {  // a notification is never answered
    const Json& cancelled = field(params, "requestId");
    return name == "notifications/cancelled" && valid_id(cancelled) ? McpAction{.cancelled = dump(cancelled)}
                                                                    : McpAction{};
  }
  if (name == "initialize") return {.reply = initialize(id, dump(params))};
  if (name == "ping") return {.reply = answer(id, "result", Json::object())};
  if (name == "tools/list") return {.reply = list(id)};
  if (name == "tools/call") return start_call(id, dump(params));
  return {.reply = failure(id, kNoSuchMethod, "there is no method '" + name + "'")};
}

std::string call_result(const std::string& id, const std::string& json) {
  Json result = text_content(json, false);
  if (auto structured = parse_json(json, 128); structured && structured->is_object())
    result["structuredContent"] = std::move(*structured);
  return answer(id, "result", result);
}

std::string call_failed(const std::string& id, const std::string& words) {
  return answer(id, "result", text_content(words, true));
}

}  // namespace swizzleperf

// Anthropic's Messages API. https://docs.anthropic.com/en/api/messages
#include "llm/wires.h"

namespace swizzleperf {
namespace {

Json content_of(const ChatMessage& message) {
  if (message.role == ChatMessage::Role::kTool)
    return {{"type", "tool_result"}, {"tool_use_id", message.call_id}, {"content", message.text}};
  return {{"type", "text"}, {"text", message.text}};
}

// Turns alternate: what the user and the tools say in a row is one message.
Json messages_json(const ChatRequest& request) {
  Json messages = Json::array();
  for (const ChatMessage& message : request.messages) {
    const bool model = message.role == ChatMessage::Role::kModel;
    const char* role = model ? "assistant" : "user";
    if (messages.empty() || messages.back()["role"] != role)
      messages.push_back({{"role", role}, {"content", Json::array()}});
    Json& content = messages.back()["content"];
    auto raw = parse_json(message.raw);
    if (model && raw && raw->is_array()) {
      for (const Json& block : *raw) content.push_back(block);
    } else {
      content.push_back(content_of(message));
    }
  }
  return messages;
}

Finish finish_of(const std::string& reason) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return Finish::kTruncated;
  if (reason == "refusal") return Finish::kRefused;
  return Finish::kComplete;
}

}  // namespace

Json encode_anthropic(const Provider& provider, const ChatRequest& request, const Quirks& quirks) {
  const Shared shared = shared_parts(provider, request, quirks);
  Json json = {{"model", request.model}, {"max_tokens", request.max_tokens}};
  if (!request.system.empty()) json["system"] = request.system;
  json["messages"] = messages_json(request);
  for (const ToolSpec& tool : shared.tools)
    json["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"input_schema", object_of(tool.parameters)}});
  if (request.temperature && !quirks.no_temperature) json["temperature"] = *request.temperature;
  return json;
}

ChatReply decode_anthropic(const Json& json) {
  ChatReply reply;
  const Json& usage = field(json, "usage");
  reply.usage = {count_field(usage, "input_tokens") + count_field(usage, "cache_creation_input_tokens") +
                     count_field(usage, "cache_read_input_tokens"),
                 count_field(usage, "output_tokens")};
  reply.detail = text_field(json, "stop_reason");
  const Json& content = field(json, "content");
  if (!content.is_array()) return reply;
  reply.finish = finish_of(reply.detail);
  reply.raw = dump(content);
  for (const Json& block : content) {
    const std::string type = text_field(block, "type");
    if (type == "text") reply.text += text_field(block, "text");
    if (type == "tool_use")
      reply.calls.push_back({text_field(block, "id"), text_field(block, "name"), dump(field(block, "input"))});
  }
  return reply;
}

}  // namespace swizzleperf

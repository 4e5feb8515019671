// OpenAI's Chat Completions, which vLLM, llama.cpp, Ollama and many hosts speak too.
// https://platform.openai.com/docs/api-reference/chat
#include "llm/wires.h"

namespace swizzleperf {
namespace {

Json message_json(const ChatMessage& message) {
  switch (message.role) {
    case ChatMessage::Role::kUser:
      return {{"role", "user"}, {"content", message.text}};
    case ChatMessage::Role::kTool:
      return {{"role", "tool"}, {"tool_call_id", message.call_id}, {"content", message.text}};
    case ChatMessage::Role::kModel:
      break;
  }
  Json json = {{"role", "assistant"}, {"content", message.text}};
  if (message.calls.empty()) return json;
  json["tool_calls"] = Json::array();
  for (const ToolCall& call : message.calls)
    json["tool_calls"].push_back(
        {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  return json;
}

Finish finish_of(const std::string& reason, const std::string& refusal) {
  if (!refusal.empty()) return Finish::kRefused;
  if (reason == "length") return Finish::kTruncated;
  if (reason == "content_filter") return Finish::kFiltered;
  return Finish::kComplete;
}

}  // namespace

Json encode_openai(const Provider& provider, const ChatRequest& request, const Quirks& quirks) {
  const Shared shared = shared_parts(provider, request, quirks);
  Json json = {{"model", request.model}};
  json["messages"] = Json::array();
  if (!request.system.empty()) json["messages"].push_back({{"role", "system"}, {"content", request.system}});
  for (const ChatMessage& message : request.messages) json["messages"].push_back(message_json(message));
  for (const ToolSpec& tool : shared.tools)
    json["tools"].push_back(
        {{"type", "function"},
         {"function",
          {{"name", tool.name}, {"description", tool.description}, {"parameters", object_of(tool.parameters)}}}});
  if (shared.schema && provider.reply == ReplyForm::kObject)
    json["response_format"] = {{"type", "json_object"}, {"schema", object_of(request.reply_schema)}};
  else if (shared.schema)
    json["response_format"] = {
        {"type", "json_schema"},
        {"json_schema", {{"name", "proposal"}, {"strict", true}, {"schema", object_of(request.reply_schema)}}}};
  json[quirks.max_tokens_field.empty() ? provider.max_tokens_field : quirks.max_tokens_field] = request.max_tokens;
  if (request.temperature && !quirks.no_temperature) json["temperature"] = *request.temperature;
  return json;
}

ChatReply decode_openai(const Json& json) {
  ChatReply reply;
  const Json& usage = field(json, "usage");
  reply.usage = {count_field(usage, "prompt_tokens"), count_field(usage, "completion_tokens")};
  const Json& choices = field(json, "choices");
  if (!choices.is_array() || choices.empty()) {
    reply.detail = "no choices";
    return reply;
  }
  const Json& message = field(choices[0], "message");
  const std::string refusal = text_field(message, "refusal");
  const std::string reason = text_field(choices[0], "finish_reason");
  reply.finish = finish_of(reason, refusal);
  reply.detail = refusal.empty() ? reason : refusal;
  reply.text = text_field(message, "content");
  const Json& calls = field(message, "tool_calls");
  for (const Json& call : calls.is_array() ? calls : Json::array()) {
    const Json& function = field(call, "function");
    const Json& arguments = field(function, "arguments");
    reply.calls.push_back({text_field(call, "id"), text_field(function, "name"),
                           arguments.is_string() ? arguments.get<std::string>() : dump(arguments)});
  }
  return reply;
}

}  // namespace swizzleperf

// Google's Gemini API, generateContent. https://ai.google.dev/api/generate-content
#include <array>

#include "llm/wires.h"

namespace swizzleperf {
namespace {

// Gemini's schemas are a part of JSON schema, without this key.
Json without_additional(Json schema) {
  if (schema.is_object()) schema.erase("additionalProperties");
  if (schema.is_structured())
    for (auto& part : schema) part = without_additional(std::move(part));
  return schema;
}

Json part_of(const ChatMessage& message) {
  if (message.role != ChatMessage::Role::kTool) return {{"text", message.text}};
  return {{"functionResponse", {{"name", message.call_name}, {"response", {{"result", message.text}}}}}};
}

Json contents_json(const ChatRequest& request) {
  Json contents = Json::array();
  for (const ChatMessage& message : request.messages) {
    const bool model = message.role == ChatMessage::Role::kModel;
    const char* role = model ? "model" : "user";
    if (contents.empty() || contents.back()["role"] != role)
      contents.push_back({{"role", role}, {"parts", Json::array()}});
    Json& parts = contents.back()["parts"];
    auto raw = parse_json(message.raw);
    if (model && raw && raw->is_array()) {
      for (const Json& part : *raw) parts.push_back(part);  // signatures of thoughts must come back unchanged
    } else {
      parts.push_back(part_of(message));
    }
  }
  return contents;
}

Finish finish_of(const std::string& reason) {
  constexpr std::array<const char*, 7> kFilters = {"SAFETY", "RECITATION", "BLOCKLIST",   "PROHIBITED_CONTENT",
                                                   "SPII",   "LANGUAGE",   "IMAGE_SAFETY"};
  if (reason == "MAX_TOKENS") return Finish::kTruncated;
  if (std::find(kFilters.begin(), kFilters.end(), reason) != kFilters.end()) return Finish::kFiltered;
  return Finish::kComplete;
}

}  // namespace

Json encode_gemini(const Provider& provider, const ChatRequest& request, const Quirks& quirks) {
  const Shared shared = shared_parts(provider, request, quirks);
  Json json = Json::object();
  if (!request.system.empty()) json["systemInstruction"] = {{"parts", {{{"text", request.system}}}}};
  json["contents"] = contents_json(request);
  Json functions = Json::array();
  for (const ToolSpec& tool : shared.tools) {
    Json function = {{"name", tool.name}, {"description", tool.description}};
    const Json parameters = without_additional(object_of(tool.parameters));
    if (!field(parameters, "properties").empty()) function["parameters"] = parameters;  // it takes no empty object
    functions.push_back(std::move(function));
  }
  if (!functions.empty()) json["tools"] = {{{"functionDeclarations", functions}}};
  Json config = {{"maxOutputTokens", request.max_tokens}};
  if (shared.schema) {
    config["responseMimeType"] = "application/json";
    config["responseSchema"] = without_additional(object_of(request.reply_schema));
  }
  if (request.temperature && !quirks.no_temperature) config["temperature"] = *request.temperature;
  json["generationConfig"] = std::move(config);
  return json;
}

ChatReply decode_gemini(const Json& json) {
  ChatReply reply;
  const Json& usage = field(json, "usageMetadata");
  reply.usage = {count_field(usage, "promptTokenCount"),
                 count_field(usage, "candidatesTokenCount") + count_field(usage, "thoughtsTokenCount")};
  const std::string blocked = text_field(field(json, "promptFeedback"), "blockReason");
  const Json& candidates = field(json, "candidates");
  if (!candidates.is_array() || candidates.empty()) {
    reply.finish = blocked.empty() ? Finish::kEmpty : Finish::kFiltered;
    reply.detail = blocked.empty() ? "no candidates" : blocked;
    return reply;
  }
  reply.detail = text_field(candidates[0], "finishReason");
  reply.finish = finish_of(reply.detail);
  const Json& parts = field(field(candidates[0], "content"), "parts");
  if (!parts.is_array()) return reply;
  reply.raw = dump(parts);
  for (const Json& part : parts) {
    const Json& thought = field(part, "thought");
    if (!(thought.is_boolean() && thought.get<bool>())) reply.text += text_field(part, "text");
    const Json& call = field(part, "functionCall");
    if (call.is_object())
      reply.calls.push_back({text_field(call, "id"), text_field(call, "name"), dump(field(call, "args"))});
  }
  return reply;
}

}  // namespace swizzleperf

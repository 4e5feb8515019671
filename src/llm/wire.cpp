#include "llm/wire.h"

#include <fmt/format.h>

#include "llm/wires.h"

namespace swizzleperf {
namespace {

constexpr size_t kErrorCharacters = 300;

// The call of the reply tool is the answer.
void take_reply_call(ChatReply& reply) {
  for (const ToolCall& call : reply.calls) {
    if (call.name != kReplyTool) continue;
    reply.text = call.arguments;
    reply.calls = {call};
    return;
  }
}

}  // namespace

std::string to_string(Finish finish) {
  switch (finish) {
    case Finish::kComplete:
      return "complete";
    case Finish::kTruncated:
      return "truncated";
    case Finish::kFiltered:
      return "filtered";
    case Finish::kRefused:
      return "refused";
    case Finish::kEmpty:
      break;
  }
  return "empty";
}

Json object_of(const std::string& text) {
  auto json = parse_json(text);
  return json && json->is_object() ? std::move(*json) : Json::object();
}

Shared shared_parts(const Provider& provider, const ChatRequest& request, const Quirks& quirks) {
  Shared shared;
  if (provider.tools && !quirks.no_tools) shared.tools = request.tools;
  if (request.reply_schema.empty() || quirks.no_schema) return shared;
  shared.schema = provider.reply == ReplyForm::kSchema || provider.reply == ReplyForm::kObject;
  if (provider.reply == ReplyForm::kTool && !quirks.no_tools)
    shared.tools.push_back({kReplyTool, "Give your answer. Call it once, when you are done.", request.reply_schema});
  return shared;
}

std::string encode(const Provider& provider, const ChatRequest& request, const Quirks& quirks) {
  ChatRequest sent = request;
  if (quirks.no_system && !sent.messages.empty()) {
    sent.messages.front().text = sent.system + "\n\n" + sent.messages.front().text;
    sent.system.clear();
  }
  switch (provider.wire) {
    case Wire::kOpenAi:
      return dump(encode_openai(provider, sent, quirks));
    case Wire::kAnthropic:
      return dump(encode_anthropic(provider, sent, quirks));
    case Wire::kGemini:
      break;
  }
  return dump(encode_gemini(provider, sent, quirks));
}

Expected<ChatReply> decode(Wire wire, const std::string& body) {
  const auto json = parse_json(body);
  if (!json || !json->is_object()) return user_error("the server's answer is no JSON object");
  ChatReply reply = wire == Wire::kOpenAi      ? decode_openai(*json)
                    : wire == Wire::kAnthropic ? decode_anthropic(*json)
                                               : decode_gemini(*json);
  take_reply_call(reply);
  const bool nothing = reply.text.find_first_not_of(" \t\r\n") == std::string::npos && reply.calls.empty();
  if (reply.finish == Finish::kComplete && nothing) reply.finish = Finish::kEmpty;
  return reply;
}

std::string error_message(const std::string& body) {
  std::string message;
  if (auto json = parse_json(body)) {
    if (json->is_array() && !json->empty()) json = Json((*json)[0]);  // Gemini wraps some errors in an array
    const Json& error = field(*json, "error");
    message = error.is_string() ? error.get<std::string>() : text_field(error, "message");
    if (message.empty()) message = text_field(*json, "message");
    if (message.empty()) message = text_field(*json, "detail");
  }
  if (message.empty()) message = body;
  if (message.size() > kErrorCharacters) message = message.substr(0, kErrorCharacters) + " ...";
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';  // no escape sequences onto a terminal
  return message;
}

}  // namespace swizzleperf

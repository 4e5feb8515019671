// A conversation as each provider's JSON, and its answer back.
#pragma once

#include <string>

#include "llm/chat.h"
#include "llm/provider.h"

namespace swizzleperf {

// What a server or model turned out not to take, found from its answer to an earlier request.
struct Quirks {
  std::string max_tokens_field = {};  // instead of the provider's
  bool no_temperature = false;
  bool no_schema = false;  // the fields are asked for by words
  bool no_tools = false;
  bool no_system = false;  // the instructions go in front of the first message
};

// The tool whose call is the answer, where ReplyForm::kTool is used.
inline constexpr const char* kReplyTool = "propose";

std::string encode(const Provider& provider, const ChatRequest& request, const Quirks& quirks);

// Any bytes. The error says what is wrong with the server's JSON; an answer without content is a reply (kEmpty).
Expected<ChatReply> decode(Wire wire, const std::string& body);

// What a provider says in the body of an error; the first 300 characters of anything else. Empty for an empty body.
std::string error_message(const std::string& body);

}  // namespace swizzleperf

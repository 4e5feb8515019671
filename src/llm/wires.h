// The three wire formats, one source file each.
#pragma once

#include "llm/json_text.h"
#include "llm/wire.h"

namespace swizzleperf {

Json encode_openai(const Provider& provider, const ChatRequest& request, const Quirks& quirks);
Json encode_anthropic(const Provider& provider, const ChatRequest& request, const Quirks& quirks);
Json encode_gemini(const Provider& provider, const ChatRequest& request, const Quirks& quirks);
ChatReply decode_openai(const Json& json);
ChatReply decode_anthropic(const Json& json);
ChatReply decode_gemini(const Json& json);

// What all formats do alike.
struct Shared {
  std::vector<ToolSpec> tools;  // with the reply tool, where the answer is its call
  bool schema = false;          // the text is constrained by request.reply_schema
};
Shared shared_parts(const Provider& provider, const ChatRequest& request, const Quirks& quirks);

// A schema or arguments that stand in another JSON; an empty object where the text is no JSON object.
Json object_of(const std::string& text);

}  // namespace swizzleperf

// A conversation with a model, in the words that all providers share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace swizzleperf {

// The model asks for a tool; `arguments` is JSON as it wrote it, good or not.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;
};

struct ChatMessage {
  enum class Role { kUser, kModel, kTool };
  Role role = Role::kUser;
  std::string text;                  // of a tool's answer too
  std::vector<ToolCall> calls = {};  // kModel
  std::string call_id = {};          // kTool: which call this answers
  std::string call_name = {};        // kTool
  std::string raw = {};  // kModel: the turn as the server wrote it, JSON, for servers that want it back unchanged
};

struct ToolSpec {
  std::string name;
  std::string description;
  std::string parameters;  // JSON schema
};

struct ChatRequest {
  std::string model;
  std::string system;
  std::vector<ChatMessage> messages;
  std::vector<ToolSpec> tools = {};
  std::string reply_schema = {};  // JSON schema of the final answer; empty: free text
  int64_t max_tokens = 8192;      // of the answer
  std::optional<double> temperature = {};
};

enum class Finish {
  kComplete,   // the model ended its answer, or called tools
  kTruncated,  // the limit of tokens cut it
  kFiltered,   // the provider's filter withheld it
  kRefused,    // the model refused
  kEmpty,      // there is no answer in the response
};
std::string to_string(Finish finish);

struct Usage {
  int64_t input = 0;   // tokens, as the server counts them
  int64_t output = 0;  // with what it thought
  Usage& operator+=(const Usage& other) {
    input += other.input;
    output += other.output;
    return *this;
  }
};

struct ChatReply {
  Finish finish = Finish::kEmpty;
  std::string detail;  // the server's word for it, or the model's refusal
  std::string text;
  std::vector<ToolCall> calls;
  std::string raw;
  Usage usage;
};

}  // namespace swizzleperf

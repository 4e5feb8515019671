// Providers as data: data/providers/*.toml. Three wire formats cover them; where servers of one format differ, a field
// of the file says how.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

enum class Wire { kOpenAi, kAnthropic, kGemini };

// How the final answer is held to its fields.
enum class ReplyForm {
  kSchema,  // the server constrains the text by a JSON schema
  kObject,  // the same as llama.cpp's servers have it: the schema stands beside the type json_object
  kTool,    // the answer is the call of a tool whose parameters are the fields
  kText,    // by words in the prompt only
};

struct Provider {
  std::string name;
  Wire wire = Wire::kOpenAi;
  std::string base_url;      // without a final slash; may be empty: the user gives it
  std::string path;          // after base_url; {model} stands for the model's name
  std::string key_variable;  // of the environment
  bool key_required = false;
  std::string key_header;
  std::string key_prefix;
  std::map<std::string, std::string> headers;
  std::string max_tokens_field = "max_tokens";
  ReplyForm reply = ReplyForm::kSchema;
  bool tools = true;
  bool free = false;   // runs on a machine of one's own: no price
  std::string source;  // the provider's reference of its API
};

// `name_or_file`: a name of data_folder()/data/providers, or the path of a TOML file (contains '/' or ends in .toml).
Expected<Provider> load_provider(const std::string& name_or_file);
Expected<Provider> parse_provider(const std::string& toml_text, const std::string& file_name);
std::vector<std::string> known_providers();

}  // namespace swizzleperf

// Prompts are data files (data/prompts): templates with {{names}}.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace swizzleperf {

// A file of data_folder()/data/prompts. `missing` where it is not there: the installation is not whole.
Expected<std::string> prompt_file(const std::string& name);

// The text with each {{name}} replaced by its value, in one pass: braces in values are text. An internal error for a
// name without a value.
Expected<std::string> fill(std::string_view text, const std::map<std::string, std::string>& values);

// Backticks, at least three, that close no fence inside of `text`.
std::string fence_for(std::string_view text);

// Roughly: four characters a token, as OpenAI's documentation says of English text
// (https://help.openai.com/en/articles/4936856). Servers count for themselves.
int64_t estimate_tokens(std::string_view text);

}  // namespace swizzleperf

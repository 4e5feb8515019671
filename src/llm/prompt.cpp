#include "llm/prompt.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"

namespace swizzleperf {

Expected<std::string> prompt_file(const std::string& name) {
  const auto path = data_folder() / "data" / "prompts" / name;
  auto text = read_file(path, 1 << 20);
  if (!text)
    return missing("a prompt of the installation is missing", {path.string()}, "install anew, or set SWIZZLEPERF_HOME");
  return text;
}

Expected<std::string> fill(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  while (!text.empty()) {
    const size_t open = text.find("{{");
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = text.find("}}", open);
    const std::string name(text.substr(open + 2, close == std::string_view::npos ? 0 : close - open - 2));
    const auto value = values.find(name);
    if (value == values.end()) return internal_error(fmt::format("a prompt names '{}', which has no value", name));
    out += value->second;
    text.remove_prefix(close + 2);
  }
  return out;
}

std::string fence_for(std::string_view text) {
  size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

int64_t estimate_tokens(std::string_view text) {
  constexpr int64_t kCharactersPerToken = 4;
  return (static_cast<int64_t>(text.size()) + kCharactersPerToken - 1) / kCharactersPerToken;
}

}  // namespace swizzleperf

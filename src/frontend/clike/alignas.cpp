#include "frontend/clike/alignas.h"

#include <algorithm>

#include "frontend/clike/lexing.h"

namespace swizzleperf {
namespace {

bool is_storage(const std::string& word) {
  return word == "__shared__" || word == "extern" || word == "static";
}

}  // namespace

std::string alignas_first(std::string text) {
  size_t first = std::string::npos;  // of the storage words that stand directly before
  bool shared = false;
  for (size_t at = 0; at < text.size();) {
    if (const size_t next = skip_literal(text, at); next != at) {
      at = next;
      continue;
    }
    if (!is_word(text[at])) {
      if (text.find_first_of(" \t\r\n", at) != at) first = std::string::npos;
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const size_t open = std::min(text.find_first_not_of(" \t", end), text.size());
    if (is_storage(word)) {
      if (first == std::string::npos) shared = false;
      if (first == std::string::npos) first = at;
      shared = shared || word == "__shared__";
    } else if (word == "alignas" && first != std::string::npos && shared && open < text.size() && text[open] == '(') {
      const size_t close = closing_bracket(text, open);
      if (close < text.size()) {
        const auto begin = text.begin();
        std::rotate(begin + static_cast<long>(first), begin + static_cast<long>(at),
                    begin + static_cast<long>(close) + 1);
        end = close + 1;
      }
      first = std::string::npos;
    } else {
      first = std::string::npos;
    }
    at = end;
  }
  return text;
}

}  // namespace swizzleperf

#include "frontend/clike/launches.h"

#include <utility>

#include "frontend/clike/lexing.h"

namespace swizzleperf {
namespace {

// [begin, end) of every launch's configuration.
std::vector<std::pair<size_t, size_t>> configurations(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> found;
  size_t open = std::string::npos;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (const size_t next = skip_literal(text, at); next != at) {
      at = next;
      continue;
    }
    if (open == std::string::npos && text.compare(at, 3, "<<<") == 0) {
      open = at;
      depth = 0;
      at += 3;
      continue;
    }
    if (open != std::string::npos) {
      depth += text[at] == '(' || text[at] == '{' ? 1 : text[at] == ')' || text[at] == '}' ? -1 : 0;
      if (depth == 0 && text.compare(at, 3, ">>>") == 0) {
        found.emplace_back(open, at + 3);
        open = std::string::npos;
        at += 3;
        continue;
      }
      // Not a launch after all: a statement ended.
      if (text[at] == ';' || depth < 0) open = std::string::npos;
    }
    ++at;
  }
  return found;
}

}  // namespace

std::vector<size_t> find_launches(const std::string& text) {
  std::vector<size_t> result;
  for (const auto& [begin, end] : configurations(text)) result.push_back(begin);
  return result;
}

std::string blank_launches(std::string text) {
  for (const auto& [begin, end] : configurations(text)) {
    for (size_t at = begin; at < end; ++at) {
      if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
    }
  }
  return text;
}

}  // namespace swizzleperf

#include "frontend/clike/launches.h"

#include <cctype>
#include <utility>

namespace swizzleperf {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

size_t end_of(const std::string& text, const std::string& what, size_t from) {
  const size_t at = text.find(what, from);
  return at == std::string::npos ? text.size() : at + what.size();
}

// R"mark( ... )mark" from its first quote on.
size_t end_of_raw_string(const std::string& text, size_t quote) {
  const size_t open = text.find('(', quote);
  if (open == std::string::npos) return text.size();
  return end_of(text, ")" + text.substr(quote + 1, open - quote - 1) + "\"", open);
}

size_t end_of_literal(const std::string& text, size_t quote) {
  size_t at = quote + 1;
  while (at < text.size() && text[at] != text[quote] && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

// Where the comment or literal that begins at `at` ends; `at` itself where none does.
size_t skip(const std::string& text, size_t at) {
  if (text.compare(at, 2, "//") == 0) return end_of(text, "\n", at);
  if (text.compare(at, 2, "/*") == 0) return end_of(text, "*/", at + 2);
  if (text[at] == '"') return at > 0 && text[at - 1] == 'R' ? end_of_raw_string(text, at) : end_of_literal(text, at);
  // A quote inside a number, 1'000, separates digits.
  if (text[at] == '\'' && (at == 0 || !is_word(text[at - 1]))) return end_of_literal(text, at);
  return at;
}

// [begin, end) of every launch's configuration.
std::vector<std::pair<size_t, size_t>> configurations(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> found;
  size_t open = std::string::npos;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (const size_t next = skip(text, at); next != at) {
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

#include "frontend/clike/lexing.h"

#include <cctype>

namespace swizzleperf {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

namespace {

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

}  // namespace

size_t skip_literal(const std::string& text, size_t at) {
  if (text.compare(at, 2, "//") == 0) return end_of(text, "\n", at);
  if (text.compare(at, 2, "/*") == 0) return end_of(text, "*/", at + 2);
  if (text[at] == '"') return at > 0 && text[at - 1] == 'R' ? end_of_raw_string(text, at) : end_of_literal(text, at);
  // A quote inside a number, 1'000, separates digits.
  if (text[at] == '\'' && (at == 0 || !is_word(text[at - 1]))) return end_of_literal(text, at);
  return at;
}

size_t closing_bracket(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size();) {
    if (const size_t next = skip_literal(text, at); next != at) {
      at = next;
      continue;
    }
    depth += text[at] == '(' || text[at] == '[' || text[at] == '{' ? 1 : 0;
    depth -= text[at] == ')' || text[at] == ']' || text[at] == '}' ? 1 : 0;
    if (depth == 0) return at;
    ++at;
  }
  return text.size();
}

}  // namespace swizzleperf

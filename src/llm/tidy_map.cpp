#include <cctype>

#include "llm/reply.h"

namespace swizzleperf {
namespace {

bool word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Without a fence around it, and without the language that a fence names.
std::string_view without_fence(std::string_view text) {
  text = trimmed(text);
  if (text.substr(0, 3) == "```") {
    const size_t line = text.find('\n');
    text = line == std::string_view::npos ? text.substr(3) : text.substr(line + 1);
    text = text.substr(0, text.find("```"));
  }
  while (!text.empty() && (text.front() == '`' || text.front() == '"')) text.remove_prefix(1);
  text = trimmed(text);
  while (!text.empty() && (text.back() == '`' || text.back() == '"')) text.remove_suffix(1);
  return trimmed(text);
}

// "\n" written as two characters.
std::string with_newlines(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'n' || text[i + 1] == 't');
    out += escaped ? (text[++i] == 'n' ? '\n' : ' ') : text[i];
  }
  return out;
}

// An assignment "name =" (not "==") begins at `at`.
bool assignment_at(const std::string& text, size_t at) {
  if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) return false;
  while (at < text.size() && word(text[at])) ++at;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at + 1 < text.size() && text[at] == '=' && text[at + 1] != '=';
}

// "a = wg % 8 pid = a": a separator goes where a value ends and an assignment begins on the same line.
std::string with_separators(const std::string& text) {
  std::string out;
  bool comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') comment = false;
    if (c == '#' || (c == '/' && i + 1 < text.size() && text[i + 1] == '/')) comment = true;
    const bool begins = !comment && word(c) && i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t');
    if (begins && assignment_at(text, i)) {
      const size_t last = out.find_last_not_of(" \t");
      if (last != std::string::npos && (word(out[last]) || out[last] == ')')) out += "; ";
    }
    out += c;
  }
  return out;
}

}  // namespace

std::string tidy_map(std::string_view text) {
  return with_separators(with_newlines(without_fence(text)));
}

}  // namespace swizzleperf

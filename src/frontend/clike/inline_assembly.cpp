#include "frontend/clike/inline_assembly.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "frontend/clike/lexing.h"

namespace swizzleperf {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

size_t skip_space(const std::string& text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// The word at `at`; empty where none begins there.
std::string word_at(const std::string& text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

// The parts of a text between separators that stand outside of brackets and literals.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts = {""};
  for (size_t at = 0; at < text.size();) {
    size_t next = skip_literal(text, at);
    if (next == at && text[at] == separator) {
      parts.emplace_back();
      ++at;
      continue;
    }
    if (next == at)
      next = text[at] == '(' || text[at] == '[' || text[at] == '{' ? closing_bracket(text, at) + 1 : at + 1;
    next = std::min(next, text.size());
    parts.back() += text.substr(at, next - at);
    at = next;
  }
  return parts;
}

// `[name] "=r"(x)` as an argument of the call; nothing where it is no operand.
std::optional<std::string> operand(const std::string& text, bool output) {
  std::string name, rest = trimmed(text);
  if (!rest.empty() && rest[0] == '[') {
    const size_t end = closing_bracket(rest, 0);
    name = trimmed(rest.substr(1, end - 1));
    rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
  }
  if (rest.empty() || rest[0] != '"') return std::nullopt;
  const size_t open = skip_space(rest, skip_literal(rest, 0));
  if (open >= rest.size() || rest[open] != '(' || closing_bracket(rest, open) + 1 != rest.size()) return std::nullopt;
  return std::string(output ? "::sp_ptx_out(\"" : "::sp_ptx_in(\"") + name + "\", " + rest.substr(open) + ")";
}

// What stands in the parentheses of the statement, as a call.
std::optional<std::string> call(const std::string& inside) {
  const std::vector<std::string> sections = split(inside, ':');
  if (sections.size() > 4 || trimmed(sections[0]).empty()) return std::nullopt;
  std::string result = "::sp_ptx(" + trimmed(sections[0]);
  for (size_t s = 1; s < std::min<size_t>(sections.size(), 3); ++s) {
    if (trimmed(sections[s]).empty()) continue;
    for (const std::string& part : split(sections[s], ',')) {
      const auto argument = operand(part, s == 1);
      if (!argument) return std::nullopt;
      result += ", " + *argument;
    }
  }
  result += ")";
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  return result + std::string(static_cast<size_t>(std::max<long>(0, lines(inside) - lines(result))), '\n');
}

bool is_asm(const std::string& word) {
  return word == "asm" || word == "__asm__" || word == "__asm";
}

bool is_qualifier(const std::string& word) {
  return word == "volatile" || word == "__volatile__" || word == "inline" || word == "__inline__";
}

// One line of the preprocessor, with those it continues on.
size_t end_of_directive(const std::string& text, size_t at) {
  size_t end = text.find('\n', at);
  while (end != std::string::npos && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
  return end == std::string::npos ? text.size() : end;
}

// [begin, close]: from the word to the bracket that closes its statement.
struct Statement {
  size_t begin = 0;
  size_t open = 0;
  size_t close = 0;
};

std::vector<Statement> find_statements(const std::string& text) {
  std::vector<Statement> found;
  for (size_t at = 0; at < text.size();) {
    size_t next = skip_literal(text, at);
    if (next == at && text[at] == '#') next = end_of_directive(text, at);
    if (next == at && is_word(text[at])) {
      next = at + word_at(text, at).size();
      if (is_asm(text.substr(at, next - at))) {
        size_t open = skip_space(text, next);
        for (std::string word = word_at(text, open); is_qualifier(word); word = word_at(text, open))
          open = skip_space(text, open + word.size());
        const size_t close = open < text.size() && text[open] == '(' ? closing_bracket(text, open) : text.size();
        if (close < text.size()) found.push_back({at, open, close});
      }
    }
    at = std::max(next, at + 1);
  }
  return found;
}

}  // namespace

std::string call_assembly(const std::string& text) {
  std::string result;
  size_t at = 0;
  for (const Statement& one : find_statements(text)) {
    const auto made = call(text.substr(one.open + 1, one.close - one.open - 1));
    if (!made) continue;
    const auto lines =
        std::count(text.begin() + static_cast<long>(one.begin), text.begin() + static_cast<long>(one.open), '\n');
    // Lines between the word and the bracket are kept as well.
    result += text.substr(at, one.begin - at) + *made + std::string(static_cast<size_t>(lines), '\n');
    at = one.close + 1;
  }
  return result + text.substr(at);
}

std::string neutral_constraints(std::string text) {
  for (const Statement& one : find_statements(text)) {
    size_t sections = 0;
    for (size_t at = one.open + 1; at < one.close;) {
      if (text[at] == ':') ++sections;
      const size_t next = skip_literal(text, at);
      if (text[at] == '"' && (sections == 1 || sections == 2)) {
        for (size_t c = at + 1; c + 1 < next; ++c) {
          if (is_word(text[c]) && text[c] != 'n' && text[c] != 'i') text[c] = 'g';
        }
      }
      at = next != at ? next : text[at] == '(' || text[at] == '[' ? closing_bracket(text, at) + 1 : at + 1;
    }
  }
  return text;
}

}  // namespace swizzleperf

#include "frontend/triton/scanner.h"

#include <cctype>
#include <charconv>
#include <cstdlib>

namespace swizzleperf::triton {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

}  // namespace

bool Scanner::fail(std::string message) {
  if (!error_)
    error_ = Error{Blame::kUser, std::move(message), {file_, line_}, "this is no Triton IR as Triton writes it"};
  at_ = text_.size();
  return false;
}

void Scanner::skip() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else {
      return;
    }
  }
}

bool Scanner::line_ended() {
  skip();
  return at_ >= text_.size() || line_ != taken_line_;
}

bool Scanner::at_end() {
  skip();
  return at_ >= text_.size();
}

char Scanner::peek() {
  skip();
  return at_ < text_.size() ? text_[at_] : '\0';
}

char Scanner::peek_second() {
  skip();
  return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
}

bool Scanner::accept(char c) {
  if (peek() != c) return false;
  take(at_ + 1);
  return true;
}

bool Scanner::looking_at(std::string_view sequence) {
  skip();
  if (text_.substr(at_, sequence.size()) != sequence) return false;
  const size_t end = at_ + sequence.size();
  return !in_word(sequence.back()) || end >= text_.size() || !in_word(text_[end]);
}

bool Scanner::accept(std::string_view sequence) {
  if (!looking_at(sequence)) return false;
  take(at_ + sequence.size());
  return true;
}

bool Scanner::expect(char c) {
  return accept(c) || fail(std::string("expected '") + c + "'");
}

std::string Scanner::word() {
  if (!starts_word(peek())) return {};
  const size_t begin = at_;
  while (at_ < text_.size() && in_word(text_[at_])) ++at_;
  take(at_);
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Scanner::name_after_sigil() {
  if (at_ < text_.size() && text_[at_] == '"') return string_literal();
  const size_t begin = at_;
  while (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == '-')) ++at_;
  if (begin == at_) fail("expected a name");
  take(at_);
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Scanner::string_literal() {
  if (!expect('"')) return {};
  const size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\n') ++line_;
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  if (at_ >= text_.size()) {
    fail("a string has no end");
    return {};
  }
  const size_t end = at_;
  take(end + 1);
  return std::string(text_.substr(begin, end - begin));
}

std::string Scanner::balanced(char open, char close) {
  const size_t begin = at_;
  for (int depth = 1; at_ < text_.size();) {
    const char c = text_[at_];
    if (c == '"') {
      string_literal();
      continue;
    }
    if (c == '\n') ++line_;
    ++at_;
    // The '>' of an arrow closes nothing.
    const bool arrow = c == '>' && close == '>' && at_ >= 2 && text_[at_ - 2] == '-';
    depth += c == open ? 1 : c == close && !arrow ? -1 : 0;
    if (depth > 0) continue;
    take(at_);
    return std::string(text_.substr(begin, at_ - 1 - begin));
  }
  fail(std::string("'") + open + "' has no '" + close + "'");
  return {};
}

std::string_view Scanner::number_text() {
  skip();
  const size_t begin = at_;
  if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
  const bool hex = text_.substr(at_, 2) == "0x";
  if (hex) at_ += 2;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool exponent = !hex && (c == '-' || c == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    const bool digit = hex ? std::isxdigit(static_cast<unsigned char>(c)) != 0
                           : std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == 'e' || c == 'E';
    if (!digit && !exponent) break;
    ++at_;
  }
  take(at_);
  return text_.substr(begin, at_ - begin);
}

bool Scanner::number(Attribute& to) {
  const std::string text(number_text());
  if (text.find_first_of("0123456789") == std::string::npos) return fail("expected a number");
  const bool negative = text.front() == '-';
  const char* const begin = text.data() + (negative ? 1 : 0);
  const char* const end = text.data() + text.size();
  const bool hex = text.find("0x") != std::string::npos;
  if (!hex && text.find_first_of(".eE") != std::string::npos) {
    to.reals.push_back(std::strtod(text.c_str(), nullptr));
    return true;
  }
  uint64_t magnitude = 0;
  const auto parsed = std::from_chars(hex ? begin + 2 : begin, end, magnitude, hex ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != end) return fail("the number '" + text + "' does not fit 64 bits");
  to.integers.push_back(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  return true;
}

}  // namespace swizzleperf::triton

#include "swizzle/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "swizzle/grammar.h"

namespace swizzleperf::detail {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Splits a text into tokens. Newlines and ';' separate statements, except inside parentheses or after an operator.
class Lexer {
 public:
  Lexer(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  Expected<std::vector<Token>> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#' || (c == '/' && peek(1) == '/')) {
        while (at_ < text_.size() && text_[at_] != '\n') advance();
      } else if (c == ' ' || c == '\t' || c == '\r') {
        advance();
      } else if (c == '\n' || c == ';') {
        if (depth_ == 0 || c == ';') push(Token::Kind::kSeparator, std::string(1, c));
        advance();
      } else if (is_name_start(c)) {
        lex_name();
      } else if (is_digit(c)) {
        if (auto status = lex_number(); !status) return tl::unexpected(status.error());
      } else if (!lex_symbol()) {
        const auto byte = static_cast<unsigned char>(c);
        return error(byte >= 32 && byte < 127 ? fmt::format("unexpected character '{}'", c)
                                              : fmt::format("unexpected byte 0x{:02x}", byte));
      }
    }
    push(Token::Kind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void advance() {
    column_ = text_[at_] == '\n' ? 1 : column_ + 1;
    line_ += text_[at_] == '\n' ? 1 : 0;
    ++at_;
  }
  void push(Token::Kind kind, std::string text, int64_t number = 0) {
    tokens_.push_back({kind, std::move(text), number, line_, column_});
  }
  tl::unexpected<Error> error(std::string message) const {
    return user_error(std::move(message), {file_, line_, column_});
  }

  void lex_name() {
    size_t end = at_;
    while (end < text_.size() && (is_name_start(text_[end]) || is_digit(text_[end]))) ++end;
    push(Token::Kind::kName, std::string(text_.substr(at_, end - at_)));
    while (at_ < end) advance();
  }

  Expected<void> lex_number() {
    const bool hexadecimal = text_[at_] == '0' && (peek(1) == 'x' || peek(1) == 'X');
    size_t end = at_ + (hexadecimal ? 2 : 0);
    const size_t first_digit = end;
    uint64_t value = 0;
    const uint64_t base = hexadecimal ? 16 : 10;
    for (; end < text_.size() && (is_digit(text_[end]) || is_name_start(text_[end])); ++end) {
      const char c = text_[end];
      const int digit = is_digit(c)                           ? c - '0'
                        : hexadecimal && c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : hexadecimal && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                              : -1;
      if (digit < 0) return error(fmt::format("'{}' is not a number", text_.substr(at_, end + 1 - at_)));
      if (value > (static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(digit)) / base)
        return error("a literal is beyond 64 bits (the largest is 9223372036854775807)");
      value = value * base + static_cast<uint64_t>(digit);
    }
    if (end == first_digit) return error("'0x' without digits");
    push(Token::Kind::kNumber, std::string(text_.substr(at_, end - at_)), static_cast<int64_t>(value));
    while (at_ < end) advance();
    return {};
  }

  bool lex_symbol() {
    static constexpr std::array<const char*, 27> kSymbols = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+",
                                                             "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  "!",
                                                             "<",  ">",  "=",  "?",  ":",  "(",  ")",  ",",  "."};
    for (const char* symbol : kSymbols) {
      const std::string_view candidate(symbol);
      if (text_.substr(at_, candidate.size()) != candidate || candidate == ".") continue;
      push(Token::Kind::kSymbol, std::string(candidate));
      depth_ += candidate == "(" ? 1 : candidate == ")" ? -1 : 0;
      depth_ = std::max(depth_, 0);
      for (size_t i = 0; i < candidate.size(); ++i) advance();
      return true;
    }
    return false;
  }

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
  int depth_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Expected<std::vector<Token>> tokenize(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxText)
    return user_error(fmt::format("the text is longer than {} bytes", kMaxText), {std::string(file_name)});
  return Lexer(text, std::string(file_name)).run();
}

}  // namespace swizzleperf::detail

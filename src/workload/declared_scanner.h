// The characters of a declared program: positions, words and pieces of text. Private to src/workload/declared*.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf::declared {

inline bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_name(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// A piece of the program and where it stands.
struct Piece {
  size_t begin = 0;
  size_t end = 0;
};

// Walks over a text that begins at `place` of its file; comments run from '#' to the line's end.
class Scanner {
 public:
  Scanner(const std::string& text, const Place& place) : text_(text), start_(place) {}

 protected:
  Place place_at(size_t at) const {
    Place place = start_;
    for (size_t i = 0; i < at && i < text_.size(); ++i) {
      place.column = text_[i] == '\n' ? 1 : place.column + 1;
      place.line += text_[i] == '\n' ? 1 : 0;
    }
    return place;
  }
  tl::unexpected<Error> error(size_t at, std::string message, std::string advice = {}) const {
    return user_error(std::move(message), place_at(at), std::move(advice));
  }

  bool at_end() const { return at_ >= text_.size(); }
  void skip_spaces(bool newlines) {
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '#') {
        while (!at_end() && text_[at_] != '\n') ++at_;
      } else if (is_space(c) && (newlines || c != '\n')) {
        ++at_;
      } else {
        return;
      }
    }
  }
  // The name at the current position, or an empty text.
  std::string peek_word() const {
    size_t end = at_;
    if (!at_end() && is_name_start(text_[at_])) {
      while (end < text_.size() && is_name(text_[end])) ++end;
    }
    return text_.substr(at_, end - at_);
  }
  std::string take_word() {
    std::string word = peek_word();
    at_ += word.size();
    return word;
  }
  Expected<void> expect(char c, const char* after) {
    skip_spaces(false);
    if (at_end() || text_[at_] != c) return error(at_, fmt::format("expected '{}' after {}", c, after));
    ++at_;
    return {};
  }
  Expected<void> end_statement() {
    skip_spaces(false);
    if (at_end() || text_[at_] == '}') return {};
    if (text_[at_] != '\n' && text_[at_] != ';')
      return error(at_, fmt::format("unexpected '{}' at the end of a statement", text_[at_]));
    ++at_;
    return {};
  }

  // The text up to the first character outside parentheses for which stop() holds, or up to the end of the line.
  template <class Stop>
  Piece take_until(Stop stop) {
    Piece piece{at_, at_};
    int depth = 0;
    for (; !at_end(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && (stop(at_) || c == '#' || c == '\n')) break;
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (depth < 0) break;
    }
    piece.end = at_;
    return piece;
  }

  // A list of whole numbers in parentheses.
  Expected<std::vector<int64_t>> numbers(const char* after) {
    if (auto status = expect('(', after); !status) return tl::unexpected(status.error());
    std::vector<int64_t> list;
    for (;;) {
      skip_spaces(false);
      auto value = number();
      if (!value) return tl::unexpected(value.error());
      list.push_back(*value);
      skip_spaces(false);
      if (at_end() || text_[at_] != ',') break;
      ++at_;
    }
    if (auto status = expect(')', "the list"); !status) return tl::unexpected(status.error());
    return list;
  }
  Expected<int64_t> number() {
    int64_t value = 0;
    const size_t begin = at_;
    for (; !at_end() && text_[at_] >= '0' && text_[at_] <= '9' && value < (1 << 20); ++at_)
      value = value * 10 + (text_[at_] - '0');
    if (at_ == begin || value < 1 || value >= (1 << 20))
      return error(begin, "expected a whole number from 1 to 1048575");
    return value;
  }

  bool dots_at(size_t i) const { return text_.compare(i, 2, "..") == 0; }
  bool word_at(size_t i, const char* word) const {
    const size_t length = std::char_traits<char>::length(word);
    return text_.compare(i, length, word) == 0 && (i == 0 || !is_name(text_[i - 1])) &&
           (i + length >= text_.size() || !is_name(text_[i + length]));
  }

  const std::string& text_;
  Place start_;
  size_t at_ = 0;
};

}  // namespace swizzleperf::declared

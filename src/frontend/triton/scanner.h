// Characters of an IR text, with line numbers. Private to src/frontend/triton.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "frontend/triton/ir.h"

namespace swizzleperf::triton {

// Skips blanks and comments before everything it reads. The first error stays; after it everything reads as the end.
class Scanner {
 public:
  Scanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  bool fail(std::string message);  // returns false
  int line() const { return line_; }

  bool at_end();
  char peek();                             // the next character; 0 at the end
  char peek_second();                      // the one right after it
  bool accept(char c);                     // takes it where it comes next
  bool accept(std::string_view sequence);  // likewise, all of it; a word must end there
  bool looking_at(std::string_view sequence);
  bool expect(char c);
  bool line_ended();  // does a new line begin between what was read last and what comes next?

  std::string word();              // letters, digits, _ . $ - after a letter or _; empty where none comes next
  std::string name_after_sigil();  // the rest of %name, @name, ^name or #name
  std::string string_literal();    // "..." without quotes, escapes as they stand
  std::string balanced(char open, char close);  // from behind `open` to the matching `close`, which it takes
  bool number(Attribute& to);                   // decimal, hexadecimal, floating
  std::string_view number_text();

  // The bounds that keep nested text from exhausting the stack.
  bool enter() { return ++depth_ <= kMaxDepth || fail("nested too deeply"); }
  void leave() { --depth_; }

 private:
  static constexpr int kMaxDepth = 200;
  void skip();
  void take(size_t end) {
    at_ = end;
    taken_line_ = line_;
  }
  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  int line_ = 1;
  int taken_line_ = 1;  // where what was read last ended
  int depth_ = 0;
  std::optional<Error> error_;
};

// `i32`, `f16`, `!tt.ptr<f16>`, `tensor<128x64x!tt.ptr<f16>>`, `<tensor<...>>`. False after an error.
bool parse_type(Scanner& scanner, Type& type);

// What may stand behind `name =`: a figure with or without its type, a word, a string, dense<...>, array<...>, lists.
bool parse_attribute(Scanner& scanner, Attribute& attribute);

// Likewise, but a type behind it is left for the caller.
bool parse_attribute_value(Scanner& scanner, Attribute& attribute);

}  // namespace swizzleperf::triton

// Comments, literals and words of a source text, for the few changes that are made to it before it is compiled. Private
// to the front end.
#pragma once

#include <cstddef>
#include <string>

namespace swizzleperf {

// Where the comment or literal that begins at `at` ends; `at` itself where none does.
size_t skip_literal(const std::string& text, size_t at);

// The bracket that closes the one at `open`; the end of the text where there is none.
size_t closing_bracket(const std::string& text, size_t open);

// A letter, digit or underscore.
bool is_word(char c);

}  // namespace swizzleperf

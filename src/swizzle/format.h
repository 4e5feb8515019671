// Prints a program's syntax tree as text. Private to src/swizzle.
#pragma once

#include <functional>
#include <string>

#include "swizzle/program.h"

namespace swizzleperf::detail {

// The program in the map language: assignments joined by "; ", as few parentheses as C's precedence needs; and how deep
// the parser would nest on it, which can be deeper than on the text it was read from: ~~x is printed as ~(~x).
struct ProgramText {
  std::string text;
  int nesting = 0;
};
ProgramText format_program(const Program& program);

// The same tree in another language: each hook turns a node whose operands are already printed into text.
struct Dialect {
  std::function<std::string(const Node&)> literal;
  std::function<std::string(const Node&)> name;
  // Full control over operators and calls: operands are passed unparenthesised with the precedence of their outermost
  // operator (100 for a primary).
  struct Text {
    std::string text;
    int precedence = 100;
    int nesting = 0;  // levels that the map language's parser counts inside of it
  };
  std::function<Text(const Node&, const std::vector<Text>&)> operation;
};
Dialect::Text format_node(const Program& program, int node, const Dialect& dialect);

// C's way of printing an operator with as few parentheses as needed.
Dialect::Text c_operation(const Node& node, const std::vector<Dialect::Text>& operands);

}  // namespace swizzleperf::detail

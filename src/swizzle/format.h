// Prints a program's syntax tree as text. Private to src/swizzle.
#pragma once

#include <functional>
#include <string>

#include "swizzle/program.h"

namespace swizzleperf::detail {

// The program in the map language: assignments joined by "; ", as few parentheses as C's precedence needs.
std::string format_program(const Program& program);

// The same tree in another language: each hook turns a node whose operands are already printed into text.
struct Dialect {
  std::function<std::string(const Node&)> literal;
  std::function<std::string(const Node&)> name;
  // Full control over operators and calls: operands are passed unparenthesised with the precedence of their outermost
  // operator (100 for a primary).
  struct Text {
    std::string text;
    int precedence = 100;
  };
  std::function<Text(const Node&, const std::vector<Text>&)> operation;
};
Dialect::Text format_node(const Program& program, int node, const Dialect& dialect);

// C's way of printing an operator with as few parentheses as needed.
Dialect::Text c_operation(const Node& node, const std::vector<Dialect::Text>& operands);

}  // namespace swizzleperf::detail

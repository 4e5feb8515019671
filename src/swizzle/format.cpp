#include "swizzle/format.h"

#include <fmt/format.h>

#include <algorithm>

namespace swizzleperf::detail {
namespace {

constexpr int kUnary = 11;
constexpr int kConditional = 0;

Dialect::Text parenthesised(const Dialect::Text& operand, int lowest) {
  if (operand.precedence >= lowest) return operand;
  return {"(" + operand.text + ")", 100, operand.nesting + 1};
}

int deepest(const std::vector<Dialect::Text>& operands) {
  int nesting = 0;
  for (const auto& operand : operands) nesting = std::max(nesting, operand.nesting);
  return nesting;
}

}  // namespace

Dialect::Text c_operation(const Node& node, const std::vector<Dialect::Text>& operands) {
  switch (node.kind) {
    case Node::Kind::kUnary: {
      const Dialect::Text operand = parenthesised(operands[0], kUnary + 1);
      return {node.text + operand.text, kUnary, operand.nesting + 1};
    }
    case Node::Kind::kBinary: {
      const int level = precedence(node.text);
      const Dialect::Text left = parenthesised(operands[0], level);
      const Dialect::Text right = parenthesised(operands[1], level + 1);
      return {fmt::format("{} {} {}", left.text, node.text, right.text), level, deepest({left, right})};
    }
    case Node::Kind::kConditional: {
      const Dialect::Text condition = parenthesised(operands[0], kConditional + 1);
      const Dialect::Text taken = parenthesised(operands[1], kConditional + 1);
      const Dialect::Text skipped = parenthesised(operands[2], kConditional);
      return {fmt::format("{} ? {} : {}", condition.text, taken.text, skipped.text), kConditional,
              std::max(condition.nesting, 1 + deepest({taken, skipped}))};
    }
    case Node::Kind::kCall: {
      std::string arguments;
      for (const auto& operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand.text;
      return {fmt::format("{}({})", node.text, arguments), 100, deepest(operands) + 1};
    }
    case Node::Kind::kLiteral:
    case Node::Kind::kName:
      break;
  }
  return {};
}

Dialect::Text format_node(const Program& program, int index, const Dialect& dialect) {
  const Node& node = program.nodes[static_cast<size_t>(index)];
  if (node.kind == Node::Kind::kLiteral) return {dialect.literal(node)};
  if (node.kind == Node::Kind::kName) return {dialect.name(node)};
  std::vector<Dialect::Text> operands;
  operands.reserve(node.children.size());
  for (const int child : node.children) operands.push_back(format_node(program, child, dialect));
  return dialect.operation(node, operands);
}

ProgramText format_program(const Program& program) {
  const Dialect language = {.literal = [](const Node& node) { return fmt::format("{}", node.literal); },
                            .name = [](const Node& node) { return node.text; },
                            .operation = c_operation};
  ProgramText result;
  for (const Assignment& assignment : program.assignments) {
    const Dialect::Text value = format_node(program, assignment.node, language);
    result.text += fmt::format("{}{} = {}", result.text.empty() ? "" : "; ", assignment.name, value.text);
    result.nesting = std::max(result.nesting, value.nesting + 1);
  }
  return result;
}

}  // namespace swizzleperf::detail

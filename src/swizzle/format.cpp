#include "swizzle/format.h"

#include <fmt/format.h>

namespace swizzleperf::detail {
namespace {

constexpr int kUnary = 11;
constexpr int kConditional = 0;

std::string parenthesised(const Dialect::Text& operand, int lowest) {
  return operand.precedence < lowest ? "(" + operand.text + ")" : operand.text;
}

}  // namespace

Dialect::Text c_operation(const Node& node, const std::vector<Dialect::Text>& operands) {
  switch (node.kind) {
    case Node::Kind::kUnary:
      return {node.text + parenthesised(operands[0], kUnary + 1), kUnary};
    case Node::Kind::kBinary: {
      const int level = precedence(node.text);
      return {
          fmt::format("{} {} {}", parenthesised(operands[0], level), node.text, parenthesised(operands[1], level + 1)),
          level};
    }
    case Node::Kind::kConditional:
      return {fmt::format("{} ? {} : {}", parenthesised(operands[0], kConditional + 1),
                          parenthesised(operands[1], kConditional + 1), parenthesised(operands[2], kConditional)),
              kConditional};
    case Node::Kind::kCall: {
      std::string arguments;
      for (const auto& operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand.text;
      return {fmt::format("{}({})", node.text, arguments), 100};
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

std::string format_program(const Program& program) {
  const Dialect language = {.literal = [](const Node& node) { return fmt::format("{}", node.literal); },
                            .name = [](const Node& node) { return node.text; },
                            .operation = c_operation};
  std::string text;
  for (const Assignment& assignment : program.assignments) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", assignment.name,
                        format_node(program, assignment.node, language).text);
  }
  return text;
}

}  // namespace swizzleperf::detail

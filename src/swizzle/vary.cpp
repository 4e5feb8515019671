#include "swizzle/vary.h"

#include <algorithm>
#include <array>
#include <vector>

#include "swizzle/format.h"
#include "swizzle/program.h"

namespace swizzleperf {
namespace {

using detail::Node;
using detail::Program;

// The nodes that assignments reach.
std::vector<int> live_nodes(const Program& program) {
  std::vector<int> stack, live;
  for (const auto& assignment : program.assignments) stack.push_back(assignment.node);
  while (!stack.empty()) {
    const int node = stack.back();
    stack.pop_back();
    live.push_back(node);
    const auto& children = program.nodes[static_cast<size_t>(node)].children;
    stack.insert(stack.end(), children.begin(), children.end());
  }
  std::sort(live.begin(), live.end());
  return live;
}

// Copies a sub-tree of `from` into `to`; returns its root there.
int copy_tree(const Program& from, int node, Program& to) {
  Node copy = from.nodes[static_cast<size_t>(node)];
  for (int& child : copy.children) child = copy_tree(from, child, to);
  to.nodes.push_back(std::move(copy));
  return static_cast<int>(to.nodes.size()) - 1;
}

int64_t varied_literal(int64_t value, const std::function<size_t(size_t)>& below) {
  constexpr int64_t kLargest = int64_t{1} << 40;
  const std::array<int64_t, 4> choices = {std::min(kLargest, value) * 2, value / 2, value + (value < kLargest ? 1 : 0),
                                          value > 0 ? value - 1 : 1};
  return choices.at(below(choices.size()));
}

std::string varied_operator(const std::string& op, const std::function<size_t(size_t)>& below) {
  const std::vector<std::vector<std::string>> classes = {{"+", "-", "^"}, {"*", "/", "%"}, {"<", "<=", ">", ">="},
                                                         {"==", "!="},    {"&", "|", "^"}, {"<<", ">>"}};
  for (const auto& one : classes) {
    if (std::find(one.begin(), one.end(), op) != one.end()) return one[below(one.size())];
  }
  return op;
}

}  // namespace

std::string vary(const SwizzleExpr& expr, const SwizzleExpr& other, const std::function<size_t(size_t)>& below) {
  Program program = expr.program();
  const std::vector<int> live = live_nodes(program);
  const auto place = static_cast<size_t>(live[below(live.size())]);
  if (below(4) == 0) {
    const std::vector<int> donors = live_nodes(other.program());
    const int root = copy_tree(other.program(), donors[below(donors.size())], program);
    program.nodes[place] = program.nodes[static_cast<size_t>(root)];
    return detail::format_program(program).text;
  }
  Node& node = program.nodes[place];
  if (node.kind == Node::Kind::kLiteral) {
    node.literal = varied_literal(node.literal, below);
  } else if (node.children.size() >= 2 && below(2) == 0) {
    std::swap(node.children[node.children.size() - 2], node.children.back());
  } else if (node.kind == Node::Kind::kBinary) {
    node.text = varied_operator(node.text, below);
  }
  return detail::format_program(program).text;
}

}  // namespace swizzleperf

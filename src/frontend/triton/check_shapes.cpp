// Shapes that do not fit each other would make the evaluator read beside its tables: they are refused first.
#include <algorithm>

#include "frontend/triton/program.h"

namespace swizzleperf::triton {
namespace {

bool same_shape(const Type& a, const Type& b) {
  return a.tensor == b.tensor && a.shape == b.shape;
}

class ShapeChecker {
 public:
  explicit ShapeChecker(const Program& program) : program_(program) {}
  // The first node that does not fit.
  const Node* find(const NodeRegion& region) {
    for (const NodeBlock& block : region) {
      for (const Node& node : block.nodes) {
        if (!fits(node) || !flows(node, region)) return &node;
        for (const NodeRegion& inner : node.regions) {
          if (const Node* wrong = find(inner)) return wrong;
        }
      }
    }
    return nullptr;
  }

 private:
  const Type& type(int id) const { return program_.types[static_cast<size_t>(id)]; }

  // Values that go from one list to another have its shapes.
  bool carried(const std::vector<int>& from, const std::vector<int>& to, size_t skip_from = 0,
               size_t skip_to = 0) const {
    if (from.size() < skip_from || to.size() < skip_to || from.size() - skip_from != to.size() - skip_to) return false;
    for (size_t i = 0; i + skip_from < from.size(); ++i) {
      if (!same_shape(type(from[i + skip_from]), type(to[i + skip_to]))) return false;
    }
    return true;
  }
  static const Node* terminator(const NodeRegion& region) {
    const auto& nodes = region.back().nodes;
    return nodes.empty() ? nullptr : &nodes.back();
  }
  bool yields(const NodeRegion& region, const std::vector<int>& to, size_t skip_to, size_t skip_from = 0) const {
    const Node* last = terminator(region);
    return last != nullptr && carried(last->operands, to, skip_from, skip_to);
  }

  bool flows(const Node& node, const NodeRegion& region) const {
    for (const Target& target : node.targets) {
      if (!carried(target.operands, region[static_cast<size_t>(target.block)].arguments)) return false;
    }
    if (node.regions.empty()) return node.code != Code::kFor && node.code != Code::kWhile && node.code != Code::kIf;
    const std::vector<int>& first = node.regions.front().front().arguments;
    switch (node.code) {
      case Code::kFor:
        return carried(node.operands, first, 3, 1) && carried(node.operands, node.results, 3) &&
               (node.results.empty() || yields(node.regions.front(), first, 1));
      case Code::kWhile:
        return node.regions.size() == 2 && carried(node.operands, first) &&
               yields(node.regions[0], node.regions[1].front().arguments, 0, 1) &&
               yields(node.regions[0], node.results, 0, 1) && (first.empty() || yields(node.regions[1], first, 0));
      case Code::kIf:
        return node.results.empty() || (node.regions.size() == 2 && yields(node.regions[0], node.results, 0) &&
                                        yields(node.regions[1], node.results, 0));
      case Code::kCall:
        return carried(node.operands, first) && returns(node.regions.front(), node.results);
      default:
        return true;
    }
  }
  bool returns(const NodeRegion& region, const std::vector<int>& results) const {
    return std::all_of(region.begin(), region.end(), [&](const NodeBlock& block) {
      const Node* last = block.nodes.empty() ? nullptr : &block.nodes.back();
      return last == nullptr || last->code != Code::kReturn || results.empty() || carried(last->operands, results);
    });
  }

  // A scalar condition may choose between tensors.
  bool all_like_result(const Node& node, bool scalar_first) const {
    if (node.results.size() != 1) return false;
    const Type& result = type(node.results.front());
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const Type& operand = type(node.operands[i]);
      if (!same_shape(operand, result) && !(scalar_first && i == 0 && !operand.tensor)) return false;
    }
    return true;
  }

  // Masks and values of an access are shaped like its pointers.
  bool access(const Node& node) const {
    if (node.operands.empty()) return false;
    const Type& pointers = type(node.operands.front());
    const bool block = pointers.block_pointer() || pointers.element == Type::Element::kDescriptor;
    if (block) return node.results.empty() || node.code == Code::kDescriptorGather || type(node.results.front()).tensor;
    for (size_t i = 1; i < node.operands.size(); ++i) {
      if (!same_shape(type(node.operands[i]), pointers)) return false;
    }
    return node.results.empty() || same_shape(type(node.results.front()), pointers);
  }

  bool fits(const Node& node) const {
    switch (node.code) {
      case Code::kInteger:
      case Code::kFloat:
      case Code::kAdd:
      case Code::kSubtract:
      case Code::kMultiply:
      case Code::kDivide:
      case Code::kRemainder:
      case Code::kCompare:
      case Code::kAnd:
      case Code::kConvert:
      case Code::kAddPointer:
        return all_like_result(node, false);
      case Code::kSelect:
        return all_like_result(node, true);
      case Code::kSplat:
        return node.results.size() == 1 && !type(node.operands.front()).tensor;
      case Code::kBroadcast: {
        if (node.results.size() != 1) return false;
        const auto& from = type(node.operands.front()).shape;
        const auto& to = type(node.results.front()).shape;
        return std::equal(from.begin(), from.end(), to.begin(), to.end(),
                          [](int64_t a, int64_t b) { return a == b || a == 1; });
      }
      case Code::kExpand: {
        if (node.results.size() != 1) return false;
        const Type& from = type(node.operands.front());
        const Type& to = type(node.results.front());
        const Attribute* axis = node.operation->attribute("axis");
        const size_t at = axis != nullptr && !axis->integers.empty() ? static_cast<size_t>(axis->integers.front()) : 0;
        std::vector<int64_t> shape = from.shape;
        if (at > shape.size()) return false;
        shape.insert(shape.begin() + static_cast<long>(at), 1);
        return to.shape == shape;
      }
      case Code::kJoin:
      case Code::kConcatenate:
        return node.results.size() == 1 && same_shape(type(node.operands[0]), type(node.operands[1])) &&
               type(node.results.front()).elements() == 2 * type(node.operands[0]).elements();
      case Code::kSplit:
        return std::all_of(node.results.begin(), node.results.end(), [&](int result) {
          return 2 * type(result).elements() == type(node.operands.front()).elements();
        });
      case Code::kGather:
        return node.results.size() == 1 && same_shape(type(node.operands[1]), type(node.results.front())) &&
               type(node.operands[0]).shape.size() == type(node.operands[1]).shape.size() && narrower(node);
      case Code::kIf:
      case Code::kCondition:
      case Code::kConditionalBranch:
        return !type(node.operands.front()).tensor;
      case Code::kFor:
        return !type(node.operands[0]).tensor && !type(node.operands[1]).tensor && !type(node.operands[2]).tensor;
      default:
        return !is_access(node.code) || access(node);
    }
  }
  // A gather's result is no longer than its source along the other axes.
  bool narrower(const Node& node) const {
    const auto& from = type(node.operands[0]).shape;
    const auto& to = type(node.results.front()).shape;
    const Attribute* axis = node.operation->attribute("axis");
    for (size_t i = 0; i < from.size(); ++i) {
      const bool along =
          axis != nullptr && !axis->integers.empty() && axis->integers.front() == static_cast<int64_t>(i);
      if (!along && to[i] > from[i]) return false;
    }
    return true;
  }

  const Program& program_;
};

}  // namespace

const Node* find_misfit(const Program& program) {
  return ShapeChecker(program).find(program.body);
}

}  // namespace swizzleperf::triton

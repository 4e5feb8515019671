// What operations on values compute.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "frontend/triton/evaluate.h"
#include "frontend/triton/shapes.h"

namespace swizzleperf::triton {
namespace {

// The figure of an attribute, or another one.
int64_t figure(const Node& node, const char* key, int64_t otherwise) {
  const Attribute* attribute = node.operation->attribute(key);
  return attribute != nullptr && !attribute->integers.empty() ? attribute->integers.front() : otherwise;
}

// The axis that an attribute names, inside a tensor of `rank`.
std::optional<size_t> axis_of(const Node& node, size_t rank) {
  const int64_t axis = figure(node, "axis", 0);
  if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
  return static_cast<size_t>(axis);
}

}  // namespace

Datum Evaluator::constant(const Node& node) const {
  const Attribute* value = node.operation->attribute("value");
  const Type& to = type(node.results.front());
  if (value == nullptr) return Datum::unknown("the constant at line " + std::to_string(node.operation->line));
  std::vector<int64_t> figures;
  if (to.element == Type::Element::kFloat) {
    for (const double real : value->reals) figures.push_back(std::bit_cast<int64_t>(rounded(real, to)));
    // Infinities and NaNs are written as their bits.
    for (const int64_t bits : value->integers) figures.push_back(from_memory(static_cast<uint64_t>(bits), to));
  } else {
    for (const int64_t integer : value->integers) figures.push_back(wrapped(Datum::of(integer), to).base);
  }
  if (figures.size() == 1) return Datum::of(figures.front());
  if (static_cast<int64_t>(figures.size()) == to.elements() && !figures.empty())
    return Datum::spelled(std::move(figures));
  return Datum::unknown("the constant at line " + std::to_string(node.operation->line));
}

Datum Evaluator::arithmetic(const Node& node) {
  const Type& to = type(node.results.front());
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.operands.size(); ++i) operands.push_back({operand(node, i), operand_type(node, i)});
  // A truth value of one bit has rules of its own.
  const bool truth = to.element == Type::Element::kInteger && to.bits == 1;
  switch (node.code) {
    case Code::kAdd:
    case Code::kSubtract:
      if (truth) break;
      return add(operands[0], operands[1], node.code == Code::kAdd ? 1 : -1, to);
    case Code::kMultiply:
      if (truth) break;
      return multiply(operands[0], operands[1], to);
    case Code::kDivide:
    case Code::kRemainder:
      return divide(operands[0], operands[1], node.code == Code::kRemainder, node.function, to);
    case Code::kCompare:
      if (node.function == nullptr || node.operation->words.empty()) return Datum::unknown(describe(node));
      return compare(operands[0], operands[1], node.operation->words.front(), node.function, to);
    case Code::kAnd:
      if (!truth) break;
      return both(operands[0], operands[1], node.function, to);
    default:
      break;
  }
  if (node.function == nullptr || node.operands.size() > 3) return Datum::unknown("the result of " + describe(node));
  return apply(node.function, operands, to);
}

Datum Evaluator::converted(const Node& node) const {
  const Type& from = operand_type(node, 0);
  const Type& to = type(node.results.front());
  const bool reals = from.element == Type::Element::kFloat || to.element == Type::Element::kFloat;
  if (reals && from.element != to.element) {
    // The bits of an integer as a float, or back: only the first is ever needed for an address.
    if (to.element != Type::Element::kFloat) return Datum::unknown("the bits of a float in " + describe(node));
    const ElementFunction function = [](const int64_t* v, const Type&, const Type& t) {
      return from_memory(static_cast<uint64_t>(v[0]), t);
    };
    return apply(function, {{operand(node, 0), from}}, to);
  }
  if (from.element != Type::Element::kInteger || to.element != Type::Element::kInteger) return operand(node, 0);
  return convert(node.operation->name, {operand(node, 0), from}, node.function, to);
}

Datum Evaluator::moved(const Node& node) const {
  const Datum& first = operand(node, 0);
  const Type& from = operand_type(node, 0);
  const Type& to = type(node.results.front());
  const size_t rank = from.shape.size();
  switch (node.code) {
    case Code::kSplat:
      return first;
    case Code::kExpand: {
      const auto axis = axis_of(node, rank + 1);
      if (!axis || to.shape.size() != rank + 1) break;
      return expand_dims(first, from, to, *axis);
    }
    case Code::kBroadcast:
      if (to.shape.size() != rank) break;
      return broadcast(first, from, to);
    case Code::kTranspose: {
      const Attribute* order = node.operation->attribute("order");
      std::vector<int64_t> axes = order != nullptr ? order->integers : std::vector<int64_t>{1, 0};
      std::vector<int64_t> sorted = axes;
      std::sort(sorted.begin(), sorted.end());
      bool permutation = sorted.size() == rank && to.shape.size() == rank;
      for (size_t i = 0; permutation && i < rank; ++i) permutation = sorted[i] == static_cast<int64_t>(i);
      if (!permutation) break;
      return transpose(first, from, to, axes);
    }
    case Code::kReshape:
      if (from.elements() != to.elements()) break;
      return reshape(first, from, to);
    case Code::kJoin:
      return join(first, operand(node, 1), from);
    case Code::kConcatenate:
      return concatenate(first, operand(node, 1), from);
    case Code::kGather: {
      const auto axis = axis_of(node, rank);
      if (!axis || to.shape.size() != rank) break;
      if (auto result = gather(first, from, operand(node, 1), to, *axis)) return *result;
      break;
    }
    case Code::kHistogram: {
      std::vector<int64_t> counts(static_cast<size_t>(to.elements()), 0);
      for (const int64_t bin : *spell_out(first, from)) {
        if (bin >= 0 && bin < static_cast<int64_t>(counts.size())) ++counts[static_cast<size_t>(bin)];
      }
      return Datum::spelled(std::move(counts));
    }
    default:
      break;
  }
  return Datum::unknown("the result of " + describe(node));
}

// Base, extents, strides and (of a pointer) offsets, spelled out one after the other.
Datum Evaluator::block_pointer(const Node& node) const {
  std::vector<int64_t> parts;
  if (node.code == Code::kAdvance) {
    const size_t rank = node.operands.size() - 1;
    if (operand(node, 0).form == Datum::Form::kDense) parts = *operand(node, 0).dense;
    if (parts.size() != 1 + 3 * rank) return Datum::unknown("the result of " + describe(node));
    const ElementFunction sum = integer_function("arith.addi", "");
    for (size_t i = 0; i < rank; ++i) {
      const int64_t terms[] = {parts[1 + 2 * rank + i], operand(node, 1 + i).base};
      parts[1 + 2 * rank + i] = sum(terms, operand_type(node, 1 + i), {.element = Type::Element::kInteger, .bits = 64});
    }
    return Datum::spelled(std::move(parts));
  }
  for (size_t i = 0; i < node.operands.size(); ++i) parts.push_back(operand(node, i).base);
  return Datum::spelled(std::move(parts));
}

Datum Evaluator::compute(const Node& node) {
  const Type& to = type(node.results.front());
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const bool choice = node.code == Code::kSelect && i > 0;  // only the chosen one matters
    if (!operand(node, i).known() && !choice) return operand(node, i);
  }
  switch (node.code) {
    case Code::kConstant:
      return constant(node);
    case Code::kProgramId:
    case Code::kNumPrograms: {
      const Grid& grid = instance_.grid;
      const bool id = node.code == Code::kProgramId;
      const Attribute* by_number = node.operation->attribute("axis");
      const int64_t number = by_number != nullptr && !by_number->integers.empty() ? by_number->integers.front() : 0;
      if (node.operation->has_word("y") || number == 1) return Datum::of(id ? at_.y : grid.y);
      if (node.operation->has_word("z") || number == 2) return Datum::of(id ? at_.z : grid.z);
      return Datum::of(id ? at_.x : grid.x);
    }
    case Code::kRange: {
      Datum range = Datum::of(figure(node, "start", 0));
      constexpr int64_t kFar = int64_t{1} << 40;
      if (to.shape.size() != 1 || std::abs(range.base) > kFar || figure(node, "end", 0) != range.base + to.shape[0])
        break;
      range.axes[0].stride = to.shape[0] > 1 ? 1 : 0;
      return range;
    }
    case Code::kAddPointer: {
      const int64_t bytes = to.pointee ? to.pointee->element_bytes() : 1;
      Type wide = operand_type(node, 1);
      wide.bits = 64;
      const Datum scale = Datum::of(bytes);
      const Datum offset = multiply({operand(node, 1), wide}, {scale, wide}, wide);
      Type sum = to;
      return add({operand(node, 0), to}, {offset, wide}, 1, sum);
    }
    case Code::kSelect:
      return choose({operand(node, 0), operand_type(node, 0)}, {operand(node, 1), operand_type(node, 1)},
                    {operand(node, 2), operand_type(node, 2)}, to);
    case Code::kConvert:
      return converted(node);
    case Code::kBlockPointer:
    case Code::kAdvance:
    case Code::kDescriptor:
      return block_pointer(node);
    case Code::kInteger:
    case Code::kFloat:
    case Code::kAdd:
    case Code::kSubtract:
    case Code::kMultiply:
    case Code::kDivide:
    case Code::kRemainder:
    case Code::kCompare:
    case Code::kAnd:
      return arithmetic(node);
    default:
      return moved(node);
  }
  return Datum::unknown("the result of " + describe(node));
}

}  // namespace swizzleperf::triton

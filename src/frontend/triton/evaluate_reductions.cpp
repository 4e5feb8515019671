// Reductions and scans, element by element: seldom does an address depend on one.
#include <algorithm>

#include "frontend/triton/evaluate.h"

namespace swizzleperf::triton {
namespace {

struct Line {  // how to walk one axis of a tensor
  int64_t extent = 1;
  int64_t stride = 1;
  int64_t outer = 1;  // tensors of the axes before it
};

Line line_of(const Type& type, size_t axis) {
  Line line{type.shape[axis], 1, 1};
  for (size_t i = axis + 1; i < type.shape.size(); ++i) line.stride *= type.shape[i];
  for (size_t i = 0; i < axis; ++i) line.outer *= type.shape[i];
  return line;
}

size_t axis_attribute(const Node& node) {
  const Attribute* axis = node.operation->attribute("axis");
  return axis != nullptr && !axis->integers.empty() ? static_cast<size_t>(axis->integers.front()) : 0;
}

}  // namespace

// left = region(left, right), for all operands at once.
bool Evaluator::combine(const Node& node, std::vector<int64_t>& left, const std::vector<int64_t>& right) {
  const std::vector<int>& arguments = node.regions.front().front().arguments;
  for (size_t i = 0; i < left.size(); ++i) {
    set(arguments[i], Datum::of(left[i]));
    set(arguments[i + left.size()], Datum::of(right[i]));
  }
  Flow flow;
  if (!run_region(node.regions.front(), flow)) return false;
  if (flow.terminator == nullptr || flow.terminator->operands.size() != left.size())
    return fail(node, Blame::kUser, "a reduction that does not return what it takes");
  for (size_t i = 0; i < left.size(); ++i) {
    const Datum& result = operand(*flow.terminator, i);
    if (!result.known()) return depends_on_unknown(node, "this reduction", result);
    left[i] = result.base;
  }
  return true;
}

void Evaluator::reduce(const Node& node) {
  scan(node);
}

// A reduction is the last element of a scan.
void Evaluator::scan(const Node& node) {
  const size_t count = node.operands.size();
  const size_t axis = axis_attribute(node);
  std::vector<Table> inputs;
  for (size_t i = 0; i < count; ++i) {
    const Type& from = operand_type(node, i);
    if (!operand(node, i).known() || axis >= from.shape.size() || from.shape != operand_type(node, 0).shape) {
      for (const int result : node.results) set(result, Datum::unknown("the result of " + describe(node)));
      return;
    }
    inputs.push_back(spell_out(operand(node, i), from));
  }
  if (count == 0 || node.regions.empty() || node.regions.front().front().arguments.size() != 2 * count ||
      node.results.size() != count) {
    fail(node, Blame::kUser, "a reduction whose region does not fit its operands");
    return;
  }
  const bool whole = node.code == Code::kScan;
  const Attribute* reverse = node.operation->attribute("reverse");
  const bool backwards = reverse != nullptr && !reverse->integers.empty() && reverse->integers.front() != 0;
  const Line line = line_of(operand_type(node, 0), axis);
  std::vector<std::vector<int64_t>> outputs(count);
  for (auto& output : outputs) output.resize(static_cast<size_t>(line.outer * line.stride * (whole ? line.extent : 1)));
  std::vector<int64_t> left(count), right(count);
  for (int64_t outer = 0; outer < line.outer; ++outer) {
    for (int64_t inner = 0; inner < line.stride; ++inner) {
      for (int64_t k = 0; k < line.extent; ++k) {
        const int64_t at = (outer * line.extent + (backwards ? line.extent - 1 - k : k)) * line.stride + inner;
        for (size_t i = 0; i < count; ++i) (k == 0 ? left : right)[i] = (*inputs[i])[static_cast<size_t>(at)];
        if (k > 0 && !combine(node, left, right)) return;
        const int64_t to = whole ? at : outer * line.stride + inner;
        for (size_t i = 0; i < count; ++i) outputs[i][static_cast<size_t>(to)] = left[i];
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const bool scalar = !type(node.results[i]).tensor;
    set(node.results[i], scalar ? Datum::of(outputs[i].front()) : Datum::spelled(std::move(outputs[i])));
  }
}

}  // namespace swizzleperf::triton

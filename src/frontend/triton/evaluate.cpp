#include "frontend/triton/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/triton/shapes.h"

namespace swizzleperf::triton {
Evaluator::Evaluator(const Program& program, const CaseInstance& instance, const Memory& memory, AccessSink& sink,
                     int64_t max_steps)
    : program_(program),
      instance_(instance),
      memory_(memory),
      sink_(sink),
      values_(program.types.size()),
      max_steps_(max_steps) {}

std::string Evaluator::describe(const Node& node) const {
  std::string text = fmt::format("{} at line {}", node.operation->name, node.operation->line);
  const std::string source = program_.module->source_line(*node.operation);
  return source.empty() ? text : fmt::format("{} ({})", text, source);
}

bool Evaluator::fail(const Node& node, Blame blame, std::string message, std::string advice) {
  if (error_) return false;
  const std::string source = program_.module->source_line(*node.operation);
  if (!source.empty()) message += fmt::format(" ({})", source);
  error_ = Error{blame, fmt::format("{}, in program {}", message, tile_), program_.module->place(*node.operation),
                 std::move(advice)};
  return false;
}

bool Evaluator::depends_on_unknown(const Node& node, const char* what, const Datum& datum) {
  return fail(node, Blame::kUnsupported, fmt::format("{} depends on {}, which is not evaluated", what, *datum.reason));
}

Expected<void> Evaluator::bind_parameters() {
  int buffer = 0;
  for (size_t i = 0; i < program_.parameters.size(); ++i) {
    const Argument& argument = instance_.arguments[i];
    const Type& to = type(program_.parameters[i]);
    Datum datum;
    if (argument.buffer) {
      datum = Datum::of(memory_.address(buffer++));
      if (to.element == Type::Element::kDescriptor) {
        std::vector<int64_t> parts = {datum.base};
        parts.insert(parts.end(), argument.shape.begin(), argument.shape.end());
        for (size_t k = 0; k < argument.shape.size(); ++k) {
          int64_t stride = 1;
          for (size_t j = k + 1; j < argument.shape.size(); ++j) stride *= argument.shape[j];
          parts.push_back(stride);
        }
        datum = Datum::spelled(std::move(parts));
      }
    } else {
      datum = to.element == Type::Element::kFloat ? Datum::real(rounded(argument.real, to))
                                                  : wrapped(Datum::of(argument.integer), to);
    }
    set(program_.parameters[i], std::move(datum));
  }
  return {};
}

Expected<void> Evaluator::run(int64_t tile) {
  if (!bound_) {
    if (auto status = bind_parameters(); !status) return status;
    bound_ = true;
  }
  tile_ = tile;
  at_ = coordinate(instance_.grid, tile);
  steps_ = 0;
  stopped_ = false;
  error_.reset();
  seen_.assign(static_cast<size_t>(program_.sites), false);
  written_.assign(memory_.size(), false);
  Flow flow;
  if (!run_region(program_.body, flow) && error_) return tl::unexpected(std::move(*error_));
  if (!stopped_) sink_.end_phase();
  return {};
}

// to[i] = from[i], read before anything is written: a loop may swap what it carries.
void Evaluator::assign(const std::vector<int>& to, const std::vector<int>& from, size_t skip_to, size_t skip_from) {
  Data moved;
  const size_t count =
      std::min(to.size() - std::min(to.size(), skip_to), from.size() - std::min(from.size(), skip_from));
  moved.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    moved.push_back(relevant(to[i + skip_to]) ? value(from[i + skip_from]) : Datum());
  }
  for (size_t i = 0; i < count; ++i) set(to[i + skip_to], std::move(moved[i]));
}

bool Evaluator::run_region(const NodeRegion& region, Flow& flow) {
  size_t block = 0;
  while (true) {
    const NodeBlock* const now = &region[block];
    const Node* branch = nullptr;
    for (const Node& node : now->nodes) {
      if (++steps_ > max_steps_)
        return fail(node, Blame::kUser, fmt::format("the program does not end: more than {} steps", max_steps_));
      if (node.code == Code::kYield || node.code == Code::kReturn || node.code == Code::kCondition) {
        flow.terminator = &node;
        return true;
      }
      if (node.code == Code::kBranch || node.code == Code::kConditionalBranch) {
        branch = &node;
        break;
      }
      if (!run_node(node)) return false;
    }
    if (branch == nullptr) return true;  // a region without a terminator
    size_t which = 0;
    if (branch->code == Code::kConditionalBranch) {
      const Datum& condition = operand(*branch, 0);
      if (!condition.known()) return depends_on_unknown(*branch, "this branch", condition);
      which = (condition.base & 1) != 0 ? 0 : 1;
    }
    if (which >= branch->targets.size()) return fail(*branch, Blame::kUser, "a branch without its target");
    const Target& target = branch->targets[which];
    block = static_cast<size_t>(target.block);
    assign(region[block].arguments, target.operands);
  }
}

bool Evaluator::run_for(const Node& node) {
  for (size_t i = 0; i < 3; ++i) {
    if (!operand(node, i).known()) return depends_on_unknown(node, "the range of this loop", operand(node, i));
  }
  const int64_t first = operand(node, 0).base, last = operand(node, 1).base, step = operand(node, 2).base;
  if (step <= 0) return fail(node, Blame::kUser, fmt::format("a loop in steps of {}", step));
  const NodeRegion& body = node.regions.front();
  const std::vector<int>& arguments = body.front().arguments;
  if (arguments.empty()) return fail(node, Blame::kUser, "a loop without a counter");
  if (first < 0 && last > INT64_MAX + first) return fail(node, Blame::kUser, "a loop whose range leaves 64 bits");
  assign(arguments, node.operands, 1, 3);
  for (int64_t i = first; i < last; i += step) {
    if (node.touches) {
      sink_.end_phase();
      if (sink_.enough()) {
        stopped_ = true;
        return false;
      }
    }
    set(arguments.front(), Datum::of(i));
    Flow flow;
    if (!run_region(body, flow)) return false;
    if (flow.terminator != nullptr) assign(arguments, flow.terminator->operands, 1, 0);
    if (last - i <= step) break;  // i + step might leave 64 bits
  }
  if (node.touches) sink_.end_phase();
  assign(node.results, arguments, 0, 1);
  return true;
}

// Has an iteration changed nothing that the next one could see? Only what other programs write can end such a loop.
bool Evaluator::stuck(const Data& before, const std::vector<int>& arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!relevant(arguments[i])) continue;
    const Datum& now = value(arguments[i]);
    if (!now.uniform() || !before[i].uniform() || now.base != before[i].base) return false;
  }
  return true;
}

bool Evaluator::run_while(const Node& node) {
  if (node.regions.size() < 2) return fail(node, Blame::kUser, "a while loop needs two regions");
  const std::vector<int>& arguments = node.regions[0].front().arguments;
  assign(arguments, node.operands);
  while (true) {
    if (node.touches) {
      sink_.end_phase();
      if (sink_.enough()) {
        stopped_ = true;
        return false;
      }
    }
    Data before;
    for (const int argument : arguments) before.push_back(value(argument));
    Flow test;
    if (!run_region(node.regions[0], test)) return false;
    if (test.terminator == nullptr || test.terminator->code != Code::kCondition)
      return fail(node, Blame::kUser, "a while loop without a condition");
    const Node& condition = *test.terminator;
    const Datum& holds = operand(condition, 0);
    const bool again = holds.known() && (holds.base & 1) != 0;
    if (!holds.known()) sink_.wait(node);
    if (!again) {
      assign(node.results, condition.operands, 0, 1);
      break;
    }
    assign(node.regions[1].front().arguments, condition.operands, 0, 1);
    Flow body;
    if (!run_region(node.regions[1], body)) return false;
    if (body.terminator != nullptr) assign(arguments, body.terminator->operands);
    if (stuck(before, arguments)) {
      sink_.wait(node);
      assign(node.results, condition.operands, 0, 1);
      break;
    }
    ++steps_;
  }
  if (node.touches) sink_.end_phase();
  return true;
}

bool Evaluator::run_if(const Node& node) {
  const Datum& condition = operand(node, 0);
  if (!condition.known()) {
    if (node.touches) return depends_on_unknown(node, "this branch", condition);
    for (const int result : node.results) set(result, condition);
    return true;
  }
  const size_t which = (condition.base & 1) != 0 ? 0 : 1;
  if (which >= node.regions.size()) return true;
  Flow flow;
  if (!run_region(node.regions[which], flow)) return false;
  if (flow.terminator != nullptr) assign(node.results, flow.terminator->operands);
  return true;
}

bool Evaluator::run_call(const Node& node) {
  assign(node.regions.front().front().arguments, node.operands);
  Flow flow;
  if (!run_region(node.regions.front(), flow)) return false;
  if (flow.terminator != nullptr) assign(node.results, flow.terminator->operands);
  return true;
}

bool Evaluator::run_node(const Node& node) {
  if (is_access(node.code)) return access(node);
  switch (node.code) {
    case Code::kFor:
      return run_for(node);
    case Code::kWhile:
      return run_while(node);
    case Code::kIf:
      return run_if(node);
    case Code::kCall:
      return run_call(node);
    case Code::kReduce:
      reduce(node);
      break;
    case Code::kScan:
      scan(node);
      break;
    case Code::kUnknown:
      for (const int result : node.results) set(result, Datum::unknown("the result of " + describe(node)));
      break;
    case Code::kSplit: {
      const Datum& both = operand(node, 0);
      auto halves = both.known() ? split(both, operand_type(node, 0)) : std::pair(both, both);
      if (node.results.size() == 2) set(node.results[1], std::move(halves.second));
      if (!node.results.empty()) set(node.results[0], std::move(halves.first));
      break;
    }
    default:
      if (node.results.size() != 1) {
        for (const int result : node.results) set(result, Datum::unknown("the result of " + describe(node)));
      } else {
        Datum result = compute(node);
        constexpr size_t kElementsAStep = 64;
        if (result.form == Datum::Form::kDense) steps_ += static_cast<int64_t>(result.dense->size() / kElementsAStep);
        set(node.results.front(), std::move(result));
      }
  }
  return !error_;
}

}  // namespace swizzleperf::triton

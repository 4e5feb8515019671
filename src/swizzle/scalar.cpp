#include "swizzle/scalar.h"

#include <fmt/format.h>

#include <algorithm>

#include "swizzle/arithmetic.h"

namespace swizzleperf {
namespace {

using detail::Op;

// Where a position inside the expression's text lies in its file.
Place inside(const Place& begin, int line, int column) {
  return {begin.file, begin.line + line - 1, line == 1 ? begin.column + column - 1 : column};
}

}  // namespace

ScalarExpr::ScalarExpr(std::shared_ptr<const detail::Program> program)
    : program_(std::move(program)), registers_(program_->operations.size()) {
  for (size_t i = 0; i < registers_.size(); ++i) {
    if (program_->operations[i].op == Op::kConstant) registers_[i] = program_->operations[i].constant;
  }
}

Expected<ScalarExpr> ScalarExpr::parse(std::string_view text, const Place& place, const SlotOf& slot_of,
                                       const std::string& known) {
  auto program = detail::parse_expression_program(text, place.file);
  if (!program) {
    Error error = program.error();
    error.message = fmt::format("in '{}': {}", text, error.message);
    error.place = inside(place, std::max(error.place.line, 1), std::max(error.place.column, 1));
    return tl::unexpected(std::move(error));
  }
  ScalarExpr result(std::make_shared<const detail::Program>(std::move(*program)));
  for (size_t input = 0; input < result.program_->inputs.size(); ++input) {
    const std::string& name = result.program_->inputs[input];
    result.slots_.push_back(slot_of(name));
    if (result.slots_.back() >= 0) continue;
    const auto use =
        std::find_if(result.program_->operations.begin(), result.program_->operations.end(),
                     [&](const auto& o) { return o.op == Op::kInput && o.input == static_cast<int>(input); });
    return user_error(fmt::format("unknown name '{}'", name), inside(place, use->line, use->column), known);
  }
  return result;
}

int64_t ScalarExpr::evaluate(const std::vector<int64_t>& values, const char*& fault) {
  const auto get = [&](int reg) { return reg == detail::kNoRegister ? 0 : registers_[static_cast<size_t>(reg)]; };
  for (size_t i = 0; i < registers_.size(); ++i) {
    const detail::Operation& operation = program_->operations[i];
    if (operation.op == Op::kConstant) continue;
    if (operation.mask != detail::kNoRegister && get(operation.mask) == 0) {
      registers_[i] = 0;
      continue;
    }
    const int64_t a = get(operation.a), b = get(operation.b), c = get(operation.c);
    int64_t& out = registers_[i];
    switch (operation.op) {
      case Op::kInput:
        out = values[static_cast<size_t>(slots_[static_cast<size_t>(operation.input)])];
        break;
      case Op::kNot:
        out = a == 0;
        break;
      case Op::kBitNot:
        out = ~a;
        break;
      case Op::kAnd:
        out = a & b;
        break;
      case Op::kOr:
        out = a | b;
        break;
      case Op::kXor:
        out = a ^ b;
        break;
      case Op::kLt:
        out = a < b;
        break;
      case Op::kLe:
        out = a <= b;
        break;
      case Op::kGt:
        out = a > b;
        break;
      case Op::kGe:
        out = a >= b;
        break;
      case Op::kEq:
        out = a == b;
        break;
      case Op::kNe:
        out = a != b;
        break;
      case Op::kSelect:
        out = a != 0 ? b : c;
        break;
      case Op::kMin:
        out = std::min(a, b);
        break;
      case Op::kMax:
        out = std::max(a, b);
        break;
      default: {
        const char* what = nullptr;
        out = detail::compute_checked(operation.op, a, b, c, what);
        if (what != nullptr) {
          fault = what;
          return 0;
        }
      }
    }
  }
  return program_->results[0] == detail::kNoRegister ? 0 : get(program_->results[0]);
}

}  // namespace swizzleperf

#include "swizzle/cost.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "swizzle/print_parts.h"
#include "swizzle/program.h"

namespace swizzleperf {
namespace {

using detail::Op;
using detail::Operation;
using detail::Program;

constexpr int kDivision = 26, kDivisionByConstant = 6, kBesideQuotient = 3, kCurveStep = 40;
constexpr int kLinearId = 4;  // wg from its coordinates

// Literals, and what the printers replace by literals: the sizes of the case and of the GPU.
bool is_constant(const Program& program, int index) {
  const Operation& operation = program.operations[static_cast<size_t>(index)];
  if (operation.op == Op::kInput) return !detail::is_launch_name(program.inputs[static_cast<size_t>(operation.input)]);
  return operation.op == Op::kConstant;
}

bool is_free(const Operation& operation) {
  return operation.op == Op::kConstant || operation.op == Op::kInput;
}

}  // namespace

int estimate_instructions(const SwizzleExpr& expr, const Grid& grid) {
  const Program& program = expr.program();
  std::set<std::tuple<int, bool, int64_t>> divided;  // dividend, and the constant or register it was divided by
  int count = std::find(program.inputs.begin(), program.inputs.end(), "wg") != program.inputs.end() ? kLinearId : 0;
  for (const Operation& operation : program.operations) {
    switch (operation.op) {
      case Op::kDiv:
      case Op::kMod:
      case Op::kCeilDiv: {
        const Operation& divisor = program.operations[static_cast<size_t>(operation.b)];
        const bool literal = divisor.op == Op::kConstant;
        const bool beside =
            !divided.emplace(operation.a, literal, literal ? divisor.constant : int64_t{operation.b}).second;
        const int alone = is_constant(program, operation.b) ? kDivisionByConstant : kDivision;
        count += beside ? kBesideQuotient : alone;
        break;
      }
      case Op::kHilbertX:
      case Op::kHilbertY:
      case Op::kMortonX:
      case Op::kMortonY:
        count += kCurveStep * std::bit_width(static_cast<uint64_t>(grid.size()));
        break;
      default:
        count += is_free(operation) ? 0 : 1;
    }
  }
  return count;
}

}  // namespace swizzleperf

#include "swizzle/ranges.h"

#include <algorithm>
#include <bit>

namespace swizzleperf::detail {
namespace {

using Wide = __int128;

// Saturates at 64 bits.
RegisterRange range(Wide low, Wide high) {
  const auto clamp = [](Wide v) { return static_cast<int64_t>(std::clamp(v, Wide{INT64_MIN}, Wide{INT64_MAX})); };
  if (low < INT64_MIN || high > INT64_MAX) return {INT64_MIN, INT64_MAX};
  return {clamp(low), clamp(high)};
}

template <class Compute>
RegisterRange corners(const std::vector<int64_t>& a, const std::vector<int64_t>& b, Compute compute) {
  Wide low = 0, high = 0;
  bool first = true;
  for (const int64_t x : a) {
    for (const int64_t y : b) {
      const Wide value = compute(Wide{x}, Wide{y});
      low = first ? value : std::min(low, value);
      high = first ? value : std::max(high, value);
      first = false;
    }
  }
  return range(low, high);
}

// The extreme divisors of each sign; 0 is a fault and does not count.
std::vector<int64_t> divisors(const RegisterRange& b) {
  std::vector<int64_t> list;
  for (const int64_t candidate : {b.low, b.high, int64_t{-1}, int64_t{1}}) {
    if (candidate != 0 && candidate >= b.low && candidate <= b.high) list.push_back(candidate);
  }
  return list;
}

RegisterRange quotient(const RegisterRange& a, const RegisterRange& b, bool up) {
  RegisterRange result = corners({a.low, a.high}, divisors(b), [](Wide x, Wide y) { return x / y; });
  if (up) result = range(result.low, Wide{result.high} + 1);
  return result;
}

RegisterRange remainder(const RegisterRange& a, const RegisterRange& b) {
  const Wide largest = std::max(Wide{b.high}, -Wide{b.low}) - 1;
  if (a.low >= 0 && b.low > a.high) return a;
  return range(a.low < 0 ? std::max(Wide{a.low}, -largest) : 0, a.high > 0 ? std::min(Wide{a.high}, largest) : 0);
}

// Shift counts outside 0..62 that are no fault lead to 0, -1 or an overflow.
RegisterRange shifted_left(const RegisterRange& a, const RegisterRange& b) {
  if (a.low == 0 && a.high == 0) return {0, 0};
  if (b.low < 0 || b.high > 62) return {INT64_MIN, INT64_MAX};
  return corners({a.low, a.high}, {b.low, b.high}, [](Wide x, Wide y) { return x * (Wide{1} << static_cast<int>(y)); });
}

RegisterRange shifted_right(const RegisterRange& a, const RegisterRange& b) {
  const int64_t low = std::clamp<int64_t>(b.low, 0, 63), high = std::clamp<int64_t>(b.high, 0, 63);
  return corners({a.low, a.high}, {low, high}, [](Wide x, Wide y) { return x >> static_cast<int>(y); });
}

// All numbers with as many bits as the operands have.
RegisterRange bitwise(const RegisterRange& a, const RegisterRange& b) {
  const auto width = [](int64_t v) { return std::bit_width(static_cast<uint64_t>(v < 0 ? ~v : v)); };
  const auto bits = std::max({width(a.low), width(a.high), width(b.low), width(b.high)});
  const Wide most = (Wide{1} << static_cast<int>(bits)) - 1;
  return range(a.low < 0 || b.low < 0 ? -most - 1 : 0, most);
}

Wide magnitude(Wide v) {
  return v < 0 ? -v : v;
}

RegisterRange both_bits(const RegisterRange& a, const RegisterRange& b) {
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  if (b.low >= 0) return {0, b.high};
  return bitwise(a, b);
}

RegisterRange input_range(const std::string& name, int64_t most, const Sizes& sizes) {
  switch (input_of(name)) {
    case Input::kWg:
    case Input::kWgX:
    case Input::kWgY:
    case Input::kWgZ:
      return {0, most - 1};
    case Input::kGridX:
    case Input::kGridY:
    case Input::kGridZ:
    case Input::kNumWgs:
      return {1, most};
    case Input::kOutside:
      break;
  }
  const auto size = sizes.find(name);
  return size == sizes.end() ? RegisterRange{INT64_MIN, INT64_MAX} : RegisterRange{size->second, size->second};
}

// Which axes of the grid a register is the product of: 1 x, 2 y, 4 z; 0 for anything else. Such a product is at most
// the number of workgroups, which its factors' ranges alone do not show.
std::vector<int> axis_products(const Program& program) {
  std::vector<int> axes(program.operations.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (operation.op == Op::kInput) {
      const Input input = input_of(program.inputs[static_cast<size_t>(operation.input)]);
      axes[i] = input == Input::kGridX    ? 1
                : input == Input::kGridY  ? 2
                : input == Input::kGridZ  ? 4
                : input == Input::kNumWgs ? 7
                                          : 0;
    } else if (operation.op == Op::kMul) {
      const int a = axes[static_cast<size_t>(operation.a)], b = axes[static_cast<size_t>(operation.b)];
      axes[i] = a != 0 && b != 0 && (a & b) == 0 ? a | b : 0;
    }
  }
  return axes;
}

RegisterRange enclose(const Operation& operation, const std::vector<RegisterRange>& known) {
  const auto at = [&](int reg) { return reg == kNoRegister ? RegisterRange{0, 0} : known[static_cast<size_t>(reg)]; };
  const RegisterRange a = at(operation.a), b = at(operation.b), c = at(operation.c);
  switch (operation.op) {
    case Op::kConstant:
      return {operation.constant, operation.constant};
    case Op::kNeg:
      return range(-Wide{a.high}, -Wide{a.low});
    case Op::kBitNot:
      return {~a.high, ~a.low};
    case Op::kAdd:
      return range(Wide{a.low} + b.low, Wide{a.high} + b.high);
    case Op::kSub:
      return range(Wide{a.low} - b.high, Wide{a.high} - b.low);
    case Op::kMul:
      return corners({a.low, a.high}, {b.low, b.high}, [](Wide x, Wide y) { return x * y; });
    case Op::kDiv:
      return quotient(a, b, false);
    case Op::kCeilDiv:
      return quotient(a, b, true);
    case Op::kMod:
      return remainder(a, b);
    case Op::kShl:
      return shifted_left(a, b);
    case Op::kShr:
      return shifted_right(a, b);
    case Op::kAnd:
      return both_bits(a, b);
    case Op::kOr:
    case Op::kXor:
      return bitwise(a, b);
    case Op::kSelect:
      return {std::min(b.low, c.low), std::max(b.high, c.high)};
    case Op::kMin:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::kMax:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::kAbs:
      return range(a.low <= 0 && a.high >= 0 ? 0 : std::min(magnitude(a.low), magnitude(a.high)),
                   std::max(magnitude(a.low), magnitude(a.high)));
    case Op::kHilbertX:
    case Op::kMortonX:
      return {0, std::max<int64_t>(0, c.high - 1)};
    case Op::kHilbertY:
    case Op::kMortonY:
      return {0, std::max<int64_t>(0, b.high - 1)};
    default:  // comparisons and !
      return {0, 1};
  }
}

bool is_32(Wide value) {
  return value >= INT32_MIN && value <= INT32_MAX;
}

// What the operation computes on the way to its result.
bool inside_fits_32(const Operation& operation, const std::vector<RegisterRange>& ranges, const std::vector<int>& axes,
                    int64_t most) {
  const auto at = [&](int reg) { return ranges[static_cast<size_t>(reg)]; };
  switch (operation.op) {
    case Op::kShl:
    case Op::kShr:
      return at(operation.b).low >= 0 && at(operation.b).high <= 31;
    case Op::kDiv:
    case Op::kMod:
    case Op::kCeilDiv:
      return at(operation.a).low > INT32_MIN || at(operation.b).low > -1 || at(operation.b).high < -1;
    case Op::kHilbertX:
    case Op::kHilbertY:
    case Op::kMortonX:
    case Op::kMortonY: {
      const int b = axes[static_cast<size_t>(operation.b)], c = axes[static_cast<size_t>(operation.c)];
      const bool disjoint = b != 0 && c != 0 && (b & c) == 0;
      const Wide cells = disjoint ? Wide{most} : Wide{at(operation.b).high} * at(operation.c).high;
      const Wide side = std::max(at(operation.b).high, at(operation.c).high);
      return is_32(cells) && is_32(3 * side);
    }
    default:
      return true;
  }
}

}  // namespace

Expected<std::vector<RegisterRange>> exact_ranges(const Program& program, const std::vector<Grid>& grids,
                                                  const Sizes& sizes) {
  std::vector<RegisterRange> ranges(program.operations.size());
  for (const Grid& grid : grids) {
    auto evaluator = Evaluator::create(program, grid, sizes);
    if (!evaluator) return tl::unexpected(evaluator.error());
    for (int64_t first = 0; first < grid.size(); first += Evaluator::kBlock) {
      const int64_t count = std::min(Evaluator::kBlock, grid.size() - first);
      if (auto status = evaluator->run(first, count); !status) return tl::unexpected(status.error());
      evaluator->accumulate(ranges, count);
    }
  }
  return ranges;
}

std::vector<RegisterRange> enclosing_ranges(const Program& program, int64_t most, const Sizes& sizes) {
  const std::vector<int> axes = axis_products(program);
  std::vector<RegisterRange> ranges(program.operations.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (axes[i] != 0)
      ranges[i] = {1, most};
    else if (operation.op == Op::kInput)
      ranges[i] = input_range(program.inputs[static_cast<size_t>(operation.input)], most, sizes);
    else
      ranges[i] = enclose(operation, ranges);
  }
  return ranges;
}

bool fits_32_bits(const Program& program, const std::vector<RegisterRange>& ranges, int64_t most) {
  const std::vector<int> axes = axis_products(program);
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].low > ranges[i].high) continue;  // never evaluated
    if (!is_32(ranges[i].low) || !is_32(ranges[i].high)) return false;
    if (!inside_fits_32(program.operations[i], ranges, axes, most)) return false;
  }
  return true;
}

bool fits_64_bits(const std::vector<RegisterRange>& ranges) {
  return std::all_of(ranges.begin(), ranges.end(),
                     [](const RegisterRange& r) { return r.low > INT64_MIN && r.high < INT64_MAX; });
}

}  // namespace swizzleperf::detail

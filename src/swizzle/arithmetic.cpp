#include "swizzle/arithmetic.h"

#include <algorithm>
#include <cstdlib>

namespace swizzleperf::detail {
namespace {

const char* const kOverflow = "overflow of 64 bits";
const char* const kDivisionByZero = "division by zero";

}  // namespace

bool cannot_overflow(Op op, const RegisterRange& a, const RegisterRange& b) {
  using Wide = __int128;
  const auto fits = [](Wide low, Wide high) { return low >= INT64_MIN && high <= INT64_MAX; };
  switch (op) {
    case Op::kAdd:
      return fits(Wide{a.low} + b.low, Wide{a.high} + b.high);
    case Op::kSub:
      return fits(Wide{a.low} - b.high, Wide{a.high} - b.low);
    case Op::kMul: {
      const std::array<Wide, 4> corners = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
                                           Wide{a.high} * b.high};
      return fits(*std::min_element(corners.begin(), corners.end()), *std::max_element(corners.begin(), corners.end()));
    }
    default:
      return false;
  }
}

int64_t compute_checked(Op op, int64_t a, int64_t b, int64_t c, const char*& what) {
  int64_t result = 0;
  switch (op) {
    case Op::kAdd:
      if (__builtin_add_overflow(a, b, &result)) what = kOverflow;
      return result;
    case Op::kSub:
      if (__builtin_sub_overflow(a, b, &result)) what = kOverflow;
      return result;
    case Op::kMul:
      if (__builtin_mul_overflow(a, b, &result)) what = kOverflow;
      return result;
    case Op::kNeg:
      if (__builtin_sub_overflow(int64_t{0}, a, &result)) what = kOverflow;
      return result;
    case Op::kAbs:
      if (a == INT64_MIN) what = kOverflow;
      return what != nullptr ? 0 : std::abs(a);
    case Op::kDiv:
    case Op::kMod:
    case Op::kCeilDiv:
      if (b == 0) what = kDivisionByZero;
      if (a == INT64_MIN && b == -1) what = kOverflow;
      if (what != nullptr) return 0;
      if (op == Op::kMod) return a % b;
      return a / b + (op == Op::kCeilDiv && a % b != 0 && (a % b > 0) == (b > 0) ? 1 : 0);
    case Op::kShl:
      if (b < 0 || b > 63) what = "shift by less than 0 or more than 63";
      if (what == nullptr && ((a << b) >> b) != a) what = kOverflow;
      return what != nullptr ? 0 : a << b;
    case Op::kShr:
      if (b < 0 || b > 63) what = "shift by less than 0 or more than 63";
      return what != nullptr ? 0 : a >> b;
    case Op::kHilbertX:
    case Op::kHilbertY:
    case Op::kMortonX:
    case Op::kMortonY: {
      constexpr int64_t kSide = int64_t{1} << 31;
      if (b < 1 || c < 1 || b >= kSide || c >= kSide || a < 0 || a >= b * c) {
        what = kCurveFault;
        return 0;
      }
      const Cell cell = op == Op::kHilbertX || op == Op::kHilbertY ? hilbert_cell(a, b, c) : morton_cell(a, b, c);
      return op == Op::kHilbertX || op == Op::kMortonX ? cell.column : cell.row;
    }
    default:
      return 0;
  }
}

}  // namespace swizzleperf::detail

// Single operations of the map language on numbers. Private to src/swizzle.
#pragma once

#include "swizzle/evaluate.h"

namespace swizzleperf::detail {

// Division of 0 <= a < 2^31 by a fixed 1 <= d < 2^31 as a multiplication: with s = ceil(log2 d) and
// m = ceil(2^(31+s) / d), floor(a / d) = (a * m) >> (31 + s) (Granlund and Montgomery, 1994, theorem 4.2 with N = 31).
struct Reciprocal {
  uint64_t multiplier = 0;
  int shift = 0;
  explicit Reciprocal(int64_t divisor) {
    int log = 0;
    while ((int64_t{1} << log) < divisor) ++log;
    shift = 31 + log;
    const auto d = static_cast<unsigned __int128>(divisor);
    multiplier = static_cast<uint64_t>(((static_cast<unsigned __int128>(1) << shift) + d - 1) / d);
  }
  int64_t divide(int64_t a) const { return static_cast<int64_t>((static_cast<uint64_t>(a) * multiplier) >> shift); }
};

// True when the operation cannot leave 64 bits for any operands in the ranges.
bool cannot_overflow(Op op, const RegisterRange& a, const RegisterRange& b);

// One operation that may fault; `what` then says how, and stays as it is otherwise.
int64_t compute_checked(Op op, int64_t a, int64_t b, int64_t c, const char*& what);

inline constexpr const char* kCurveFault = "curve step outside its rows x columns";

}  // namespace swizzleperf::detail

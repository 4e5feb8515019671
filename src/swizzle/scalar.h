// ScalarExpr: one expression of the map language, for one set of values at a time. What reads programs with loops (the
// declared workloads) evaluates with it; maps are evaluated for many ids at once by swizzle.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

namespace detail {
struct Program;
}

class ScalarExpr {
 public:
  // The number of a name's value in what evaluate() is given, or -1 where the name has none.
  using SlotOf = std::function<int(const std::string& name)>;

  // `place` is where the text begins in its file: errors are reported there. User error on a syntax error or a name
  // without a slot; `known` is the advice of the latter.
  static Expected<ScalarExpr> parse(std::string_view text, const Place& place, const SlotOf& slot_of,
                                    const std::string& known = {});

  // On a fault (overflow, division by zero, ...) the value is 0 and `fault` says what happened, else it stays as it is.
  // Not const: the registers are kept between calls.
  int64_t evaluate(const std::vector<int64_t>& values, const char*& fault);

 private:
  explicit ScalarExpr(std::shared_ptr<const detail::Program> program);
  std::shared_ptr<const detail::Program> program_;
  std::vector<int> slots_;          // by input of the program
  std::vector<int64_t> registers_;  // constants are set once
};

}  // namespace swizzleperf

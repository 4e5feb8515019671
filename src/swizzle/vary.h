// Blind variation of a map's syntax tree: what comes of it need not be a bijection, nor even evaluate; the prover
// tells.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "swizzle/expr.h"

namespace swizzleperf {

// The text of `expr` with one change: a number, an operator, the operands of one swapped, or a sub-expression in its
// place from `other` (which may be the same map). `below(n)` gives a number in 0 ... n - 1; the same numbers, the same
// text.
std::string vary(const SwizzleExpr& expr, const SwizzleExpr& other, const std::function<size_t(size_t)>& below);

}  // namespace swizzleperf

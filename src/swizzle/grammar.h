// The words of the map language. Private to src/swizzle.
#pragma once

#include <array>
#include <cstddef>

#include "swizzle/program.h"

namespace swizzleperf::detail {

// Limits of a map, on the text that is read and on the text that is printed from it.
inline constexpr size_t kMaxText = size_t{64} << 10;  // bytes
inline constexpr int kMaxNesting = 200;

inline constexpr std::array<const char*, 8> kInputs = {"wg",     "wg_x",   "wg_y",   "wg_z",
                                                       "grid_x", "grid_y", "grid_z", "num_wgs"};
inline constexpr std::array<const char*, 4> kResults = {"pid", "pid_x", "pid_y", "pid_z"};

struct Function {
  const char* name;
  Op op;
  int arguments;
};
inline constexpr std::array<Function, 8> kFunctions = {{{"min", Op::kMin, 2},
                                                        {"max", Op::kMax, 2},
                                                        {"abs", Op::kAbs, 1},
                                                        {"ceil_div", Op::kCeilDiv, 2},
                                                        {"hilbert_x", Op::kHilbertX, 3},
                                                        {"hilbert_y", Op::kHilbertY, 3},
                                                        {"morton_x", Op::kMortonX, 3},
                                                        {"morton_y", Op::kMortonY, 3}}};

struct BinaryOperator {
  const char* text;
  int precedence;
  Op op;
};
// C's precedence levels. && and || are not here: they evaluate lazily.
inline constexpr std::array<BinaryOperator, 16> kOperators = {{{"|", 3, Op::kOr},
                                                               {"^", 4, Op::kXor},
                                                               {"&", 5, Op::kAnd},
                                                               {"==", 6, Op::kEq},
                                                               {"!=", 6, Op::kNe},
                                                               {"<", 7, Op::kLt},
                                                               {"<=", 7, Op::kLe},
                                                               {">", 7, Op::kGt},
                                                               {">=", 7, Op::kGe},
                                                               {"<<", 8, Op::kShl},
                                                               {">>", 8, Op::kShr},
                                                               {"+", 9, Op::kAdd},
                                                               {"-", 9, Op::kSub},
                                                               {"*", 10, Op::kMul},
                                                               {"/", 10, Op::kDiv},
                                                               {"%", 10, Op::kMod}}};

}  // namespace swizzleperf::detail

// The inside of SwizzleExpr: the syntax tree as a linear register program. Private to src/swizzle.
//
// Registers are in single assignment form; an operation's operands have smaller numbers than its result. `mask` names
// the register that says for which launch ids C would evaluate the operation at all (the operands of ?:, && and ||):
// where it is 0 the operation cannot fault and its result is not used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "swizzle/expr.h"

namespace swizzleperf::detail {

enum class Op : uint8_t {
  kConstant,
  kInput,
  kNeg,
  kNot,
  kBitNot,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kShl,
  kShr,
  kAnd,
  kOr,
  kXor,
  kLt,
  kLe,
  kGt,
  kGe,
  kEq,
  kNe,
  kSelect,  // a ? b : c
  kMin,
  kMax,
  kAbs,
  kCeilDiv,
  kHilbertX,
  kHilbertY,
  kMortonX,
  kMortonY,  // (t, rows, columns)
};

inline constexpr int kNoRegister = -1;

struct Operation {
  Op op = Op::kConstant;
  int a = kNoRegister;
  int b = kNoRegister;
  int c = kNoRegister;
  int mask = kNoRegister;  // kNoRegister: always evaluated
  int64_t constant = 0;    // kConstant
  int input = 0;           // kInput: index into Program::inputs
  int line = 0;
  int column = 0;
};

// A node of the syntax tree, kept for printing: registers follow C's evaluation, the tree follows the text.
struct Node {
  enum class Kind : uint8_t { kLiteral, kName, kUnary, kBinary, kConditional, kCall };
  Kind kind = Kind::kLiteral;
  std::string text;  // name, operator or function
  int64_t literal = 0;
  std::vector<int> children;  // indices into Program::nodes
  int value = kNoRegister;    // register that holds the node's value
};

struct Assignment {
  std::string name;
  int node = 0;
};

struct Program {
  std::string file_name;
  std::vector<Operation> operations;  // register i is the result of operations[i]
  std::vector<std::string> inputs;    // names read from outside, in order of first use
  std::vector<Node> nodes;
  std::vector<Assignment> assignments;                       // in order; a name may be assigned again
  int results[3] = {kNoRegister, kNoRegister, kNoRegister};  // pid_x, pid_y, pid_z; or pid in results[0]
  bool linear_result = false;                                // the result is `pid`
  int result_axes = 1;
  int operation_count = 0;
  std::string text;  // normalised
  std::vector<std::string> sorted_inputs;
};

bool is_reserved_input(const std::string& name);  // wg, wg_x, ..., num_wgs

// C precedence of a binary operator, larger binds tighter; 0 for anything else.
int precedence(const std::string& op);

// Parses a map; or a single expression, for case files: the value is results[0].
Expected<Program> parse_map_program(std::string_view text, std::string_view file_name);
Expected<Program> parse_expression_program(std::string_view text, std::string_view file_name);

// (row-major cell of step t) of the generalised Hilbert curve and of the Morton order over rows x columns. 0 <= t <
// rows * columns.
struct Cell {
  int64_t column = 0;  // x
  int64_t row = 0;     // y
};
Cell hilbert_cell(int64_t t, int64_t rows, int64_t columns);
Cell morton_cell(int64_t t, int64_t rows, int64_t columns);

// All cells in the order of the steps; rows and columns below 2^31.
struct SmallCell {
  int32_t column = 0;
  int32_t row = 0;
};
std::vector<SmallCell> hilbert_cells(int64_t rows, int64_t columns);
std::vector<SmallCell> morton_cells(int64_t rows, int64_t columns);

}  // namespace swizzleperf::detail

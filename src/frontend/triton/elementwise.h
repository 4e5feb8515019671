// Elementwise operations: arith.* and math.* on scalars and tensors. Private to src/frontend/triton.
#pragma once

#include "frontend/triton/datum.h"

namespace swizzleperf::triton {

// Operands with their types, and the type of the result.
struct Operand {
  const Datum& datum;
  const Type& type;
};

// What an elementwise operation computes from one element of each operand; nothing where the name is of no such
// operation. `word` is the predicate of a comparison.
using ElementFunction = int64_t (*)(const int64_t* operands, const Type& from, const Type& to);
ElementFunction integer_function(const std::string& name, const std::string& word);
ElementFunction float_function(const std::string& name, const std::string& word);

// Applies it and keeps structure where it can.
Datum apply(ElementFunction function, const std::vector<Operand>& operands, const Type& result);

Datum add(const Operand& a, const Operand& b, int64_t sign, const Type& result);  // a + sign * b
Datum multiply(const Operand& a, const Operand& b, const Type& result);
Datum divide(const Operand& a, const Operand& b, bool remainder, ElementFunction function, const Type& result);
Datum compare(const Operand& a, const Operand& b, const std::string& predicate, ElementFunction function,
              const Type& result);
Datum both(const Operand& a, const Operand& b, ElementFunction function, const Type& result);  // i1 and i1
Datum choose(const Operand& condition, const Operand& a, const Operand& b, const Type& result);
Datum convert(const std::string& name, const Operand& from, ElementFunction function, const Type& result);

// A double rounded to what the type holds.
double rounded(double value, const Type& type);
// The value of `bits` of that type, as they lie in memory, as a datum holds it.
int64_t from_memory(uint64_t bits, const Type& type);

}  // namespace swizzleperf::triton

// What a value of the IR holds while a program is evaluated: integers, pointers, truth values and floats, as scalars or
// tensors. Tensors keep the structure that addresses have: a sum of one term an axis, of which each term is a stride or
// a small table. Only what has no such structure is spelled out element by element. Private to src/frontend/triton.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/triton/ir.h"

namespace swizzleperf::triton {

using Table = std::shared_ptr<const std::vector<int64_t>>;

// One axis of a structured tensor: element i of it contributes stride * i, or (*table)[i] where there is a table.
struct Axis {
  int64_t stride = 0;
  Table table;
  bool none() const { return stride == 0 && !table; }
  int64_t at(int64_t i) const { return table ? (*table)[static_cast<size_t>(i)] : stride * i; }
};

inline constexpr size_t kMaxAxes = 5;  // of structured tensors; those of more axes are spelled out

// Integers are kept sign-extended, i1 as 0 or 1, a pointer as an address (memory.h), a float as the bits of its double.
struct Datum {
  enum class Form : uint8_t {
    kSum,      // base + the sum of its axes' contributions; a scalar, and a tensor of one figure, have none
    kAll,      // a truth value: do all axes with a table hold there? Axes without one do
    kDense,    // `dense`, row-major
    kUnknown,  // not evaluated: `reason` says what it comes from
  };
  Form form = Form::kSum;
  int64_t base = 0;
  std::array<Axis, kMaxAxes> axes;
  Table dense;
  std::shared_ptr<const std::string> reason;

  static Datum of(int64_t value) { return {.form = Form::kSum, .base = value}; }
  static Datum real(double value) { return of(std::bit_cast<int64_t>(value)); }
  static Datum spelled(std::vector<int64_t> values);
  static Datum unknown(std::string why);
  bool known() const { return form != Form::kUnknown; }
  bool uniform() const;  // one figure for all elements: `base`
  double as_real() const { return std::bit_cast<double>(base); }
};

// The smallest and the largest value. Of a structured tensor they stay below 2^62, so that no term of it overflows.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
};
Range range_of(const Datum& datum, const Type& type);

// All elements, row-major; a known datum.
Table spell_out(const Datum& datum, const Type& type);

// Brings integers back to what `bits` hold; keeps the structure where nothing wraps.
Datum wrapped(Datum datum, const Type& type);

// Axes that contribute, as bits.
uint32_t axes_used(const Datum& datum);

// A tensor that varies along one axis, from its values there. Truth values become kAll.
Datum along_axis(std::vector<int64_t> values, size_t axis, bool truth);

// Its values along that axis (any other contributes nothing), `extent` of them.
std::vector<int64_t> values_along(const Datum& datum, size_t axis, int64_t extent);

}  // namespace swizzleperf::triton

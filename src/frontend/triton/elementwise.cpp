#include "frontend/triton/elementwise.h"

#include <algorithm>
#include <cstring>

namespace swizzleperf::triton {
namespace {

constexpr int64_t kSafe = int64_t{1} << 62;  // sums of structured terms stay below this

bool is_truth(const Type& type) {
  return type.element == Type::Element::kInteger && type.bits == 1;
}

// Operands that vary along one axis at most give a result that does.
Datum apply_along(ElementFunction function, const std::vector<Operand>& operands, uint32_t used, const Type& result) {
  const auto axis = static_cast<size_t>(std::countr_zero(used));
  const int64_t extent = result.shape[axis];
  std::vector<std::vector<int64_t>> columns;
  for (const Operand& operand : operands) columns.push_back(values_along(operand.datum, axis, extent));
  std::vector<int64_t> values(static_cast<size_t>(extent));
  std::vector<int64_t> row(operands.size());
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t k = 0; k < row.size(); ++k) row[k] = columns[k][i];
    values[i] = function(row.data(), operands.back().type, result);
  }
  if (result.element == Type::Element::kFloat) {
    // A float is no sum: it is kept whole.
    Datum datum = along_axis(std::move(values), axis, true);
    if (datum.uniform()) return datum;
    return Datum::spelled(*spell_out(datum, result));
  }
  return along_axis(std::move(values), axis, is_truth(result));
}

Datum apply_everywhere(ElementFunction function, const std::vector<Operand>& operands, const Type& result) {
  std::vector<Table> columns;
  for (const Operand& operand : operands) {
    Type shaped = operand.type;
    shaped.tensor = true;
    shaped.shape = result.shape;  // a scalar condition of a select, and such
    columns.push_back(operand.datum.uniform() ? nullptr : spell_out(operand.datum, shaped));
  }
  std::vector<int64_t> values(static_cast<size_t>(result.elements()));
  std::vector<int64_t> row(operands.size());
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t k = 0; k < row.size(); ++k) row[k] = columns[k] ? (*columns[k])[i] : operands[k].datum.base;
    values[i] = function(row.data(), operands.back().type, result);
  }
  return Datum::spelled(std::move(values));
}

}  // namespace

Datum apply(ElementFunction function, const std::vector<Operand>& operands, const Type& result) {
  uint32_t used = 0;
  bool structured = true;
  for (const Operand& operand : operands) {
    structured = structured && operand.datum.form != Datum::Form::kDense;
    used |= axes_used(operand.datum);
  }
  if (structured && used == 0) {
    std::vector<int64_t> row;
    for (const Operand& operand : operands) row.push_back(operand.datum.base);
    return Datum::of(function(row.data(), operands.back().type, result));
  }
  // A float spelled out along one axis would need the others' shape: see apply_along.
  if (structured && std::has_single_bit(used) && result.element != Type::Element::kFloat)
    return apply_along(function, operands, used, result);
  return apply_everywhere(function, operands, result);
}

namespace {

// Does the sum of two structured tensors have values that 64 bits hold with ease?
bool sums_stay_safe(const Operand& a, const Operand& b, int64_t sign) {
  const Range x = range_of(a.datum, a.type), y = range_of(b.datum, b.type);
  const __int128 low = static_cast<__int128>(x.low) + (sign > 0 ? y.low : -static_cast<__int128>(y.high));
  const __int128 high = static_cast<__int128>(x.high) + (sign > 0 ? y.high : -static_cast<__int128>(y.low));
  const bool parts = std::max(-static_cast<__int128>(y.low), static_cast<__int128>(y.high)) <= kSafe;
  return parts && low >= -kSafe && high <= kSafe;
}

}  // namespace

Datum add(const Operand& a, const Operand& b, int64_t sign, const Type& result) {
  using Form = Datum::Form;
  if (a.datum.form == Form::kSum && b.datum.form == Form::kSum && sums_stay_safe(a, b, sign)) {
    Datum sum = a.datum;
    sum.base += sign * b.datum.base;
    for (size_t i = 0; i < kMaxAxes; ++i) {
      Axis& to = sum.axes[i];
      const Axis& from = b.datum.axes[i];
      if (from.none()) continue;
      if (!to.table && !from.table) {
        to.stride += from.stride * sign;
        continue;
      }
      std::vector<int64_t> values(static_cast<size_t>(result.shape[i]));
      for (size_t k = 0; k < values.size(); ++k)
        values[k] = to.at(static_cast<int64_t>(k)) + sign * from.at(static_cast<int64_t>(k));
      to = {0, std::make_shared<const std::vector<int64_t>>(std::move(values))};
    }
    return wrapped(std::move(sum), result);
  }
  const ElementFunction function = sign > 0 ? integer_function("arith.addi", "") : integer_function("arith.subi", "");
  return apply(function, {a, b}, result);
}

Datum multiply(const Operand& a, const Operand& b, const Type& result) {
  const Operand& factor = a.datum.uniform() ? a : b;
  const Operand& other = a.datum.uniform() ? b : a;
  const ElementFunction function = integer_function("arith.muli", "");
  if (!factor.datum.uniform() || other.datum.form != Datum::Form::kSum) return apply(function, {a, b}, result);
  const Range range = range_of(other.datum, result);
  const __int128 by = factor.datum.base;
  const __int128 low = by * range.low, high = by * range.high;
  if (std::max(low < 0 ? -low : low, high < 0 ? -high : high) > kSafe) return apply(function, {a, b}, result);
  Datum product = other.datum;
  product.base *= factor.datum.base;
  for (Axis& axis : product.axes) {
    axis.stride *= factor.datum.base;
    if (!axis.table) continue;
    std::vector<int64_t> values = *axis.table;
    for (int64_t& value : values) value *= factor.datum.base;
    axis.table = std::make_shared<const std::vector<int64_t>>(std::move(values));
  }
  return wrapped(std::move(product), result);
}

Datum divide(const Operand& a, const Operand& b, bool remainder, ElementFunction function, const Type& result) {
  // What lies below the divisor already is its own remainder: the usual wrap around the last row.
  if (a.datum.form == Datum::Form::kSum && b.datum.uniform() && b.datum.base > 0) {
    const Range range = range_of(a.datum, result);
    if (range.low >= 0 && range.high < b.datum.base) return remainder ? a.datum : Datum::of(0);
  }
  return apply(function, {a, b}, result);
}

Datum compare(const Operand& a, const Operand& b, const std::string& predicate, ElementFunction function,
              const Type& result) {
  const bool sums = a.datum.form == Datum::Form::kSum && b.datum.form == Datum::Form::kSum;
  const Range left = sums ? range_of(a.datum, a.type) : Range{};
  const Range right = sums ? range_of(b.datum, b.type) : Range{};
  const bool ordered = predicate[0] == 's' || (left.low >= 0 && right.low >= 0);
  if (sums && ordered && predicate.size() == 3) {
    const bool less = predicate[1] == 'l';
    const bool equal = predicate[2] == 'e';
    const Range& small = less ? left : right;  // is small < large, or <=?
    const Range& large = less ? right : left;
    if (equal ? small.high <= large.low : small.high < large.low) return Datum::of(1);
    if (equal ? small.low > large.high : small.low >= large.high) return Datum::of(0);
  }
  return apply(function, {a, b}, result);
}

Datum both(const Operand& a, const Operand& b, ElementFunction function, const Type& result) {
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (one->datum.uniform()) return (one->datum.base & 1) != 0 ? other->datum : Datum::of(0);
  }
  if (a.datum.form != Datum::Form::kAll || b.datum.form != Datum::Form::kAll) return apply(function, {a, b}, result);
  Datum all = a.datum;
  for (size_t i = 0; i < kMaxAxes; ++i) {
    const Table& from = b.datum.axes[i].table;
    if (!from) continue;
    if (!all.axes[i].table) {
      all.axes[i].table = from;
      continue;
    }
    std::vector<int64_t> values = *all.axes[i].table;
    for (size_t k = 0; k < values.size(); ++k) values[k] &= (*from)[k];
    if (std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 0; })) return Datum::of(0);
    all.axes[i].table = std::make_shared<const std::vector<int64_t>>(std::move(values));
  }
  return all;
}

Datum choose(const Operand& condition, const Operand& a, const Operand& b, const Type& result) {
  if (condition.datum.uniform()) return (condition.datum.base & 1) != 0 ? a.datum : b.datum;
  if (!a.datum.known()) return a.datum;
  if (!b.datum.known()) return b.datum;
  const ElementFunction function = [](const int64_t* v, const Type&, const Type&) { return v[0] != 0 ? v[1] : v[2]; };
  return apply(function, {condition, a, b}, result);
}

Datum convert(const std::string& name, const Operand& from, ElementFunction function, const Type& result) {
  const bool integers = from.type.element == Type::Element::kInteger && result.element == Type::Element::kInteger;
  if (integers && from.type.bits > 1 && from.datum.form == Datum::Form::kSum) {
    const bool zero_extends = name == "arith.extui" || name == "arith.index_castui";
    if (!zero_extends || range_of(from.datum, from.type).low >= 0) return wrapped(from.datum, result);
  }
  return apply(function, {from}, result);
}

double rounded(double value, const Type& type) {
  if (type.bits == 64) return value;
  const auto single = static_cast<float>(value);
  if (type.bits == 32) return single;
  if (!type.brain) return static_cast<double>(static_cast<_Float16>(value));
  auto bits = std::bit_cast<uint32_t>(single);
  if (single == single) bits += 0x7FFF + ((bits >> 16U) & 1U);  // to the nearest, ties to even
  return std::bit_cast<float>(bits & 0xFFFF0000U);
}

int64_t from_memory(uint64_t bits, const Type& type) {
  if (type.element != Type::Element::kFloat) {
    if (type.element == Type::Element::kPointer || type.bits >= 64) return static_cast<int64_t>(bits);
    if (type.bits == 1) return static_cast<int64_t>(bits & 1U);
    const int shift = 64 - type.bits;
    return static_cast<int64_t>(bits << static_cast<unsigned>(shift)) >> shift;
  }
  double value = 0;
  if (type.bits == 64) value = std::bit_cast<double>(bits);
  if (type.bits == 32) value = std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type.bits == 16)
    value = type.brain ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits << 16U)))
                       : static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  return std::bit_cast<int64_t>(value);
}

}  // namespace swizzleperf::triton

#include "frontend/triton/datum.h"

#include <algorithm>

namespace swizzleperf::triton {

Datum Datum::spelled(std::vector<int64_t> values) {
  Datum result;
  result.form = Form::kDense;
  result.dense = std::make_shared<const std::vector<int64_t>>(std::move(values));
  return result;
}

Datum Datum::unknown(std::string why) {
  Datum result;
  result.form = Form::kUnknown;
  result.reason = std::make_shared<const std::string>(std::move(why));
  return result;
}

bool Datum::uniform() const {
  return form == Form::kSum && axes_used(*this) == 0;
}

uint32_t axes_used(const Datum& datum) {
  uint32_t used = 0;
  for (size_t a = 0; a < kMaxAxes; ++a) used |= datum.axes[a].none() ? 0U : 1U << a;
  return used;
}

Range range_of(const Datum& datum, const Type& type) {
  if (datum.form == Datum::Form::kAll) return {0, 1};
  if (datum.form == Datum::Form::kDense) {
    const auto [low, high] = std::minmax_element(datum.dense->begin(), datum.dense->end());
    return {*low, *high};
  }
  __int128 low = datum.base, high = datum.base;
  for (size_t a = 0; a < std::min(kMaxAxes, type.shape.size()); ++a) {
    const Axis& axis = datum.axes[a];
    if (axis.none()) continue;
    if (axis.table) {
      const auto [least, most] = std::minmax_element(axis.table->begin(), axis.table->end());
      low += *least;
      high += *most;
    } else {
      const __int128 end = static_cast<__int128>(axis.stride) * (type.shape[a] - 1);
      low += std::min<__int128>(0, end);
      high += std::max<__int128>(0, end);
    }
  }
  const auto narrow = [](__int128 v) { return static_cast<int64_t>(std::clamp<__int128>(v, INT64_MIN, INT64_MAX)); };
  return {narrow(low), narrow(high)};
}

Table spell_out(const Datum& datum, const Type& type) {
  if (datum.form == Datum::Form::kDense) return datum.dense;
  std::vector<int64_t> values = {datum.form == Datum::Form::kAll ? 1 : datum.base};
  values.reserve(static_cast<size_t>(type.elements()));
  const bool all = datum.form == Datum::Form::kAll;
  // Axis by axis: what stands there is repeated for every index of the next axis.
  for (size_t a = 0; a < type.shape.size(); ++a) {
    const Axis axis = a < kMaxAxes ? datum.axes[a] : Axis{};
    std::vector<int64_t> next;
    next.reserve(values.size() * static_cast<size_t>(type.shape[a]));
    for (const int64_t before : values) {
      for (int64_t i = 0; i < type.shape[a]; ++i) {
        const int64_t here = axis.none() && all ? 1 : axis.at(i);
        next.push_back(all ? before & here : before + here);
      }
    }
    values = std::move(next);
  }
  return std::make_shared<const std::vector<int64_t>>(std::move(values));
}

namespace {

int64_t wrap(int64_t value, int bits) {
  if (bits == 1) return value & 1;
  if (bits >= 64) return value;
  const int shift = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

}  // namespace

Datum wrapped(Datum datum, const Type& type) {
  if (type.element != Type::Element::kInteger || type.bits >= 64 || datum.form == Datum::Form::kAll) return datum;
  if (datum.uniform()) {
    datum.base = wrap(datum.base, type.bits);
    return datum;
  }
  const Range range = range_of(datum, type);
  if (wrap(range.low, type.bits) == range.low && wrap(range.high, type.bits) == range.high) return datum;
  std::vector<int64_t> values = *spell_out(datum, type);
  for (int64_t& value : values) value = wrap(value, type.bits);
  return Datum::spelled(std::move(values));
}

Datum along_axis(std::vector<int64_t> values, size_t axis, bool truth) {
  Datum result;
  if (std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == values.front(); }))
    return Datum::of(values.front());
  if (truth) {
    result.form = Datum::Form::kAll;
  } else {
    result.base = values.front();
    const int64_t step = values[1] - values[0];
    bool affine = true;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] -= result.base;
      affine = affine && values[i] == step * static_cast<int64_t>(i);
    }
    if (affine) {
      result.axes[axis].stride = step;
      return result;
    }
  }
  result.axes[axis].table = std::make_shared<const std::vector<int64_t>>(std::move(values));
  return result;
}

std::vector<int64_t> values_along(const Datum& datum, size_t axis, int64_t extent) {
  std::vector<int64_t> values(static_cast<size_t>(extent), datum.form == Datum::Form::kAll ? 1 : datum.base);
  const Axis& along = datum.axes[axis];
  if (along.none()) return values;
  for (int64_t i = 0; i < extent; ++i) {
    int64_t& value = values[static_cast<size_t>(i)];
    value = datum.form == Datum::Form::kAll ? along.at(i) : value + along.at(i);
  }
  return values;
}

}  // namespace swizzleperf::triton

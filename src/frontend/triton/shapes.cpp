#include "frontend/triton/shapes.h"

#include <algorithm>

namespace swizzleperf::triton {
namespace {

// Row-major distances between neighbours along each axis.
std::vector<int64_t> strides_of(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// Calls visit(position in `from`) for every element of `to` in order, where axis k of `to` walks by steps[k].
template <class Visit>
void walk(const std::vector<int64_t>& shape, const std::vector<int64_t>& steps, const Visit& visit) {
  std::vector<int64_t> index(shape.size(), 0);
  int64_t at = 0;
  while (true) {
    visit(at);
    size_t axis = shape.size();
    while (axis-- > 0) {
      at += steps[axis];
      if (++index[axis] < shape[axis]) break;
      at -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
    if (axis == SIZE_MAX) return;
  }
}

Datum picked(const Datum& datum, const Type& from, const Type& to, const std::vector<int64_t>& steps) {
  const Table values = spell_out(datum, from);
  std::vector<int64_t> result;
  result.reserve(static_cast<size_t>(to.elements()));
  walk(to.shape, steps, [&](int64_t at) { result.push_back((*values)[static_cast<size_t>(at)]); });
  return Datum::spelled(std::move(result));
}

}  // namespace

Datum expand_dims(const Datum& datum, const Type& /*from*/, const Type& to, size_t axis) {
  if (datum.form == Datum::Form::kDense || datum.uniform()) return datum;
  if (to.shape.size() > kMaxAxes) {
    Type before = to;
    before.shape.erase(before.shape.begin() + static_cast<long>(axis));
    return Datum::spelled(*spell_out(datum, before));
  }
  Datum result = datum;
  std::rotate(result.axes.begin() + static_cast<long>(axis), result.axes.end() - 1, result.axes.end());
  return result;
}

Datum broadcast(const Datum& datum, const Type& from, const Type& to) {
  if (datum.uniform()) return datum;
  if (datum.form == Datum::Form::kDense) {
    std::vector<int64_t> steps = strides_of(from.shape);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (from.shape[i] == 1) steps[i] = 0;
    }
    return picked(datum, from, to, steps);
  }
  Datum result = datum;
  for (size_t i = 0; i < from.shape.size(); ++i) {
    if (from.shape[i] != 1 || result.axes[i].none()) continue;
    // The only element along this axis counts everywhere.
    const int64_t only = result.axes[i].at(0);
    result.axes[i] = {};
    if (result.form == Datum::Form::kSum) result.base += only;
    if (result.form == Datum::Form::kAll && only == 0) return Datum::of(0);
  }
  if (result.form == Datum::Form::kAll && axes_used(result) == 0) return Datum::of(1);
  return result;
}

Datum transpose(const Datum& datum, const Type& from, const Type& to, const std::vector<int64_t>& order) {
  if (datum.uniform()) return datum;
  if (datum.form == Datum::Form::kDense) {
    const std::vector<int64_t> strides = strides_of(from.shape);
    std::vector<int64_t> steps;
    for (const int64_t axis : order) steps.push_back(strides[static_cast<size_t>(axis)]);
    return picked(datum, from, to, steps);
  }
  Datum result = datum;
  for (size_t i = 0; i < order.size() && i < kMaxAxes; ++i) result.axes[i] = datum.axes[static_cast<size_t>(order[i])];
  return result;
}

Datum reshape(const Datum& datum, const Type& from, const Type& to) {
  if (datum.form == Datum::Form::kDense || datum.uniform()) return datum;
  // Axes of one element come and go freely.
  const auto squeezed = [](const std::vector<int64_t>& shape) {
    std::vector<size_t> axes;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1) axes.push_back(i);
    }
    return axes;
  };
  const std::vector<size_t> before = squeezed(from.shape), after = squeezed(to.shape);
  bool same = before.size() == after.size() && to.shape.size() <= kMaxAxes;
  for (size_t i = 0; same && i < before.size(); ++i) same = from.shape[before[i]] == to.shape[after[i]];
  for (size_t i = 0; same && i < from.shape.size(); ++i) same = from.shape[i] != 1 || datum.axes[i].none();
  if (!same) return Datum::spelled(*spell_out(datum, from));
  Datum result = datum;
  result.axes = {};
  for (size_t i = 0; i < before.size(); ++i) result.axes[after[i]] = datum.axes[before[i]];
  return result;
}

Datum join(const Datum& a, const Datum& b, const Type& from) {
  const Table left = spell_out(a, from), right = spell_out(b, from);
  std::vector<int64_t> result;
  for (size_t i = 0; i < left->size(); ++i) {
    result.push_back((*left)[i]);
    result.push_back((*right)[i]);
  }
  return Datum::spelled(std::move(result));
}

std::pair<Datum, Datum> split(const Datum& datum, const Type& from) {
  const Table both = spell_out(datum, from);
  std::vector<int64_t> left, right;
  for (size_t i = 0; i + 1 < both->size(); i += 2) {
    left.push_back((*both)[i]);
    right.push_back((*both)[i + 1]);
  }
  return {Datum::spelled(std::move(left)), Datum::spelled(std::move(right))};
}

Datum concatenate(const Datum& a, const Datum& b, const Type& from) {
  std::vector<int64_t> result = *spell_out(a, from);
  const Table rest = spell_out(b, from);
  result.insert(result.end(), rest->begin(), rest->end());
  return Datum::spelled(std::move(result));
}

std::optional<Datum> gather(const Datum& datum, const Type& from, const Datum& index, const Type& to, size_t axis) {
  const Table values = spell_out(datum, from);
  Type shaped = to;
  const Table indices = spell_out(index, shaped);
  const std::vector<int64_t> strides = strides_of(from.shape);
  std::vector<int64_t> steps = strides;
  steps[axis] = 0;
  std::vector<int64_t> result;
  bool inside = true;
  walk(to.shape, steps, [&](int64_t at) {
    const int64_t i = (*indices)[result.size()];
    inside = inside && i >= 0 && i < from.shape[axis];
    result.push_back(inside ? (*values)[static_cast<size_t>(at + i * strides[axis])] : 0);
  });
  if (!inside) return std::nullopt;
  return Datum::spelled(std::move(result));
}

}  // namespace swizzleperf::triton

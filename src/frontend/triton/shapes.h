// Operations that move elements about. Private to src/frontend/triton.
#pragma once

#include "frontend/triton/datum.h"

namespace swizzleperf::triton {

// Each takes a known datum of type `from` and gives one of type `to`.
Datum expand_dims(const Datum& datum, const Type& from, const Type& to, size_t axis);
Datum broadcast(const Datum& datum, const Type& from, const Type& to);
Datum transpose(const Datum& datum, const Type& from, const Type& to, const std::vector<int64_t>& order);
Datum reshape(const Datum& datum, const Type& from, const Type& to);
Datum join(const Datum& a, const Datum& b, const Type& from);  // a new last axis of two
std::pair<Datum, Datum> split(const Datum& datum, const Type& from);
Datum concatenate(const Datum& a, const Datum& b, const Type& from);
// Elements of `datum` by `index` along an axis; nothing where an index is out of range.
std::optional<Datum> gather(const Datum& datum, const Type& from, const Datum& index, const Type& to, size_t axis);

}  // namespace swizzleperf::triton

#include "verify/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace swizzleperf {
namespace {

template <class T>
T load(const std::string& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

double value_at(DType type, const std::string& bytes, size_t at) {
  switch (type) {
    case DType::kF16:
      return half_value(load<uint16_t>(bytes, at));
    case DType::kBf16:
      return bfloat16_value(load<uint16_t>(bytes, at));
    case DType::kF32:
      return load<float>(bytes, at);
    default:
      return load<double>(bytes, at);
  }
}

bool near(double a, double b, double tolerance) {
  return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a));
}

}  // namespace

double half_value(uint16_t bits) {
  const int exponent = bits >> 10U & 0x1F, fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 0x1F) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

double bfloat16_value(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

std::optional<std::string> output_difference(const Argument& argument, const std::string& before,
                                             const std::string& after, bool atomics) {
  if (before.size() != after.size())
    return fmt::format("`{}` has {} bytes before and {} after", argument.name, before.size(), after.size());
  if (before == after) return std::nullopt;
  const auto size = static_cast<size_t>(size_of(argument.dtype));
  const bool floating = is_floating(argument.dtype);
  const bool by_value = atomics && floating && argument.tolerance > 0;
  for (size_t at = 0; at + size <= before.size(); at += size) {
    if (std::memcmp(before.data() + at, after.data() + at, size) == 0) continue;
    const double a = floating ? value_at(argument.dtype, before, at) : 0;
    const double b = floating ? value_at(argument.dtype, after, at) : 0;
    if (by_value && near(a, b, argument.tolerance)) continue;
    return fmt::format("element {} of `{}` differs between the original and the patched kernel{}", at / size,
                       argument.name, floating ? fmt::format(": {} and {}", a, b) : "");
  }
  return std::nullopt;
}

}  // namespace swizzleperf

#include "workload/contents.h"

#include <cmath>
#include <cstring>

#include "base/mix.h"

namespace swizzleperf {
namespace {

template <class T, class Convert>
void fill(const ContentsRule& rule, int64_t first, int64_t count, void* out, Convert convert) {
  T* elements = static_cast<T*>(out);
  const double scale = (rule.high - rule.low) * 0x1p-53;
  for (int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<uint64_t>(first + i);
    double value = static_cast<double>(first + i);
    if (rule.kind == ContentsRule::Kind::kRandom)
      value = rule.low + static_cast<double>(mix(rule.seed * 0xD1342543DE82EF95ULL + index) >> 11U) * scale;
    elements[i] = convert(value);
  }
}

// Integers: uniform over [low, high], both included.
template <class T>
void fill_integers(const ContentsRule& rule, int64_t first, int64_t count, void* out) {
  T* elements = static_cast<T*>(out);
  const auto low = static_cast<int64_t>(rule.low);
  const uint64_t span = static_cast<uint64_t>(static_cast<int64_t>(rule.high) - low) + 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<uint64_t>(first + i);
    const uint64_t random = mix(rule.seed * 0xD1342543DE82EF95ULL + index);
    const auto scaled = static_cast<int64_t>((static_cast<unsigned __int128>(random) * span) >> 64U);
    elements[i] = static_cast<T>(rule.kind == ContentsRule::Kind::kRandom ? low + scaled : first + i);
  }
}

}  // namespace

uint16_t to_bf16(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >>
                               16U);  // round to nearest even; inputs are finite
}

// Rounds to nearest even; inputs are finite. In integers, because without F16C instructions a cast to _Float16 is a
// library call for each element, a tenth as fast.
uint16_t to_f16(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = (bits >> 16U) & 0x8000U;
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude >= 0x47800000U) return static_cast<uint16_t>(sign | 0x7C00U);  // 65536 and more: infinite
  if (magnitude < 0x38800000U) {
    // Below 2^-14 the result is subnormal, a multiple of 2^-24: what the float addition of 0.5 rounds to.
    constexpr uint32_t kHalf = 0x3F000000U;
    const float shifted = std::fabs(value) + 0.5F;
    std::memcpy(&bits, &shifted, sizeof bits);
    return static_cast<uint16_t>(sign | (bits - kHalf));
  }
  const uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13U) & 1U) - (112U << 23U);  // biases 127 and 15
  return static_cast<uint16_t>(sign | rounded >> 13U);
}

void fill_elements(DType dtype, const ContentsRule& rule, int64_t first, int64_t count, void* out) {
  if (rule.kind == ContentsRule::Kind::kZeros || rule.kind == ContentsRule::Kind::kData) {
    std::memset(out, 0, static_cast<size_t>(count * size_of(dtype)));
    return;
  }
  switch (dtype) {
    case DType::kF16:
      return fill<uint16_t>(rule, first, count, out, [](double v) { return to_f16(static_cast<float>(v)); });
    case DType::kBf16:
      return fill<uint16_t>(rule, first, count, out, [](double v) { return to_bf16(static_cast<float>(v)); });
    case DType::kF32:
      return fill<float>(rule, first, count, out, [](double v) { return static_cast<float>(v); });
    case DType::kF64:
      return fill<double>(rule, first, count, out, [](double v) { return v; });
    case DType::kI8:
      return fill_integers<int8_t>(rule, first, count, out);
    case DType::kU8:
      return fill_integers<uint8_t>(rule, first, count, out);
    case DType::kI16:
      return fill_integers<int16_t>(rule, first, count, out);
    case DType::kU16:
      return fill_integers<uint16_t>(rule, first, count, out);
    case DType::kI32:
      return fill_integers<int32_t>(rule, first, count, out);
    case DType::kU32:
      return fill_integers<uint32_t>(rule, first, count, out);
    case DType::kI64:
      return fill_integers<int64_t>(rule, first, count, out);
    case DType::kU64:
      return fill_integers<uint64_t>(rule, first, count, out);
  }
}

}  // namespace swizzleperf

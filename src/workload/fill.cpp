#include "workload/fill.h"

#include <cmath>
#include <cstring>

namespace swizzleperf {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a counter becomes 64 well-mixed bits.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

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

template <class T, class Convert>
void fill(const Argument& argument, int64_t first, int64_t count, void* out, Convert convert) {
  T* elements = static_cast<T*>(out);
  const double scale = (argument.init.high - argument.init.low) * 0x1p-53;
  for (int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<uint64_t>(first + i);
    double value = static_cast<double>(first + i);
    if (argument.init.kind == Init::Kind::kRandom)
      value = argument.init.low +
              static_cast<double>(mix(argument.init.seed * 0xD1342543DE82EF95ULL + index) >> 11U) * scale;
    elements[i] = convert(value);
  }
}

// Integers: uniform over [low, high], both included.
template <class T>
void fill_integers(const Argument& argument, int64_t first, int64_t count, void* out) {
  T* elements = static_cast<T*>(out);
  const auto low = static_cast<int64_t>(argument.init.low);
  const uint64_t span = static_cast<uint64_t>(static_cast<int64_t>(argument.init.high) - low) + 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<uint64_t>(first + i);
    const uint64_t random = mix(argument.init.seed * 0xD1342543DE82EF95ULL + index);
    const auto scaled = static_cast<int64_t>((static_cast<unsigned __int128>(random) * span) >> 64U);
    elements[i] = static_cast<T>(argument.init.kind == Init::Kind::kRandom ? low + scaled : first + i);
  }
}

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace

std::string scalar_bytes(DType dtype, int64_t integer, double real) {
  const auto single = static_cast<float>(real);
  switch (dtype) {
    case DType::kF16:
      return bytes_of(std::isnan(single) ? uint16_t{0x7E00} : to_f16(single));
    case DType::kBf16:
      return bytes_of(std::isnan(single) ? uint16_t{0x7FC0} : to_bf16(single));
    case DType::kF32:
      return bytes_of(single);
    case DType::kF64:
      return bytes_of(real);
    default:  // little endian
      return bytes_of(integer).substr(0, static_cast<size_t>(size_of(dtype)));
  }
}

void fill_buffer(const Argument& argument, int64_t first, int64_t count, void* out) {
  if (argument.init.kind == Init::Kind::kZeros || argument.init.kind == Init::Kind::kNpy) {
    std::memset(out, 0, static_cast<size_t>(count * size_of(argument.dtype)));
    return;
  }
  switch (argument.dtype) {
    case DType::kF16:
      return fill<uint16_t>(argument, first, count, out, [](double v) { return to_f16(static_cast<float>(v)); });
    case DType::kBf16:
      return fill<uint16_t>(argument, first, count, out, [](double v) { return to_bf16(static_cast<float>(v)); });
    case DType::kF32:
      return fill<float>(argument, first, count, out, [](double v) { return static_cast<float>(v); });
    case DType::kF64:
      return fill<double>(argument, first, count, out, [](double v) { return v; });
    case DType::kI8:
      return fill_integers<int8_t>(argument, first, count, out);
    case DType::kU8:
      return fill_integers<uint8_t>(argument, first, count, out);
    case DType::kI16:
      return fill_integers<int16_t>(argument, first, count, out);
    case DType::kU16:
      return fill_integers<uint16_t>(argument, first, count, out);
    case DType::kI32:
      return fill_integers<int32_t>(argument, first, count, out);
    case DType::kU32:
      return fill_integers<uint32_t>(argument, first, count, out);
    case DType::kI64:
      return fill_integers<int64_t>(argument, first, count, out);
    case DType::kU64:
      return fill_integers<uint64_t>(argument, first, count, out);
  }
}

}  // namespace swizzleperf

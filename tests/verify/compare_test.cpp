// When two outputs count as equal.
#include "verify/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace swizzleperf {
namespace {

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string result;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    result.append(raw, sizeof(T));
  }
  return result;
}

Argument output(DType type, double tolerance) {
  return {.name = "c", .dtype = type, .buffer = true, .output = true, .tolerance = tolerance};
}

// One, the next number, and 2, infinity and NaN of each floating type, as bytes.
struct Bits {
  DType type;
  std::string one, next, two, infinity, nan;
};

std::vector<Bits> floating_types() {
  const auto halves = [](uint16_t v) { return bytes_of<uint16_t>({v}); };
  return {{DType::kF16, halves(0x3C00), halves(0x3C01), halves(0x4000), halves(0x7C00), halves(0x7E00)},
          {DType::kBf16, halves(0x3F80), halves(0x3F81), halves(0x4000), halves(0x7F80), halves(0x7FC0)},
          {DType::kF32, bytes_of({1.0F}), bytes_of({std::nextafter(1.0F, 2.0F)}), bytes_of({2.0F}),
           bytes_of({std::numeric_limits<float>::infinity()}), bytes_of({std::nanf("")})},
          {DType::kF64, bytes_of({1.0}), bytes_of({std::nextafter(1.0, 2.0)}), bytes_of({2.0}),
           bytes_of({std::numeric_limits<double>::infinity()}), bytes_of({std::nan("")})}};
}

bool equal(DType type, double tolerance, const std::string& a, const std::string& b, bool atomics) {
  return !output_difference(output(type, tolerance), a, b, atomics) &&
         !output_difference(output(type, tolerance), b, a, atomics);
}

TEST(Compare, ATolerancesIsUsedForAtomicsOnly) {
  for (const Bits& bits : floating_types()) {
    EXPECT_TRUE(equal(bits.type, 0, bits.one, bits.one, false));
    EXPECT_FALSE(equal(bits.type, 0, bits.one, bits.next, true));
    EXPECT_FALSE(equal(bits.type, 0.1, bits.one, bits.next, false));
    EXPECT_TRUE(equal(bits.type, 0.1, bits.one, bits.next, true)) << to_string(bits.type);
    EXPECT_FALSE(equal(bits.type, 0.1, bits.one, bits.two, true));
  }
}

TEST(Compare, NanAndInfinityEqualNoNumber) {
  for (const Bits& bits : floating_types()) {
    EXPECT_FALSE(equal(bits.type, 1e9, bits.nan, bits.one, true));
    EXPECT_FALSE(equal(bits.type, 1e9, bits.infinity, bits.one, true));
    EXPECT_FALSE(equal(bits.type, 1e9, bits.infinity, bits.nan, true));
    EXPECT_TRUE(equal(bits.type, 0, bits.nan, bits.nan, false));
    EXPECT_TRUE(equal(bits.type, 0, bits.infinity, bits.infinity, true));
  }
}

TEST(Compare, IntegersAreEqualBitByBit) {
  EXPECT_FALSE(equal(DType::kI32, 10, bytes_of({1}), bytes_of({2}), true));
  EXPECT_TRUE(equal(DType::kI32, 0, bytes_of({1}), bytes_of({1}), true));
}

TEST(Compare, TheFirstDifferenceIsNamed) {
  const auto difference =
      output_difference(output(DType::kF32, 0), bytes_of({1.0F, 2.0F, 3.0F}), bytes_of({1.0F, 2.5F, 4.0F}), false);
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("element 1 of `c`"), std::string::npos) << *difference;
  EXPECT_NE(difference->find("2 and 2.5"), std::string::npos) << *difference;
  EXPECT_TRUE(output_difference(output(DType::kF32, 0), bytes_of({1.0F}), "", false));
}

TEST(Compare, HalvesHaveTheValuesOfTheirFormats) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    _Float16 half;
    const auto word = static_cast<uint16_t>(bits);
    std::memcpy(&half, &word, sizeof half);
    const auto expected = static_cast<double>(half);
    const double value = half_value(word);
    EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << bits;
  }
  EXPECT_EQ(bfloat16_value(0x3FC0), 1.5);
  EXPECT_EQ(bfloat16_value(0x0001), std::ldexp(1, -133));
  EXPECT_EQ(bfloat16_value(0xFF80), -HUGE_VAL);
}

}  // namespace
}  // namespace swizzleperf

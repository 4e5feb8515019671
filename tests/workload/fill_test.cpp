#include "workload/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace swizzleperf {
namespace {

constexpr int64_t kElements = 1003;

class Fill : public testing::TestWithParam<std::tuple<DType, Init::Kind>> {
 protected:
  static Argument argument() {
    const auto [dtype, kind] = GetParam();
    return {.name = "a", .dtype = dtype, .buffer = true, .elements = kElements, .init = {kind, 7, 0, 100, {}}};
  }
  static std::string whole(const Argument& argument) {
    std::string bytes(static_cast<size_t>(kElements * size_of(argument.dtype)), '\x55');
    fill_buffer(argument, 0, kElements, bytes.data());
    return bytes;
  }
};

TEST_P(Fill, AnyPartInAnyOrderEqualsTheWhole) {
  const Argument a = argument();
  const std::string expected = whole(a);
  std::mt19937 random(1);
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (int64_t first = 0; first < kElements;) {
    const int64_t count = std::min<int64_t>(1 + random() % 97, kElements - first);
    parts.emplace_back(first, count);
    first += count;
  }
  std::shuffle(parts.begin(), parts.end(), random);
  std::string bytes(expected.size(), '\xAA');
  for (const auto& [first, count] : parts) fill_buffer(a, first, count, bytes.data() + first * size_of(a.dtype));
  EXPECT_EQ(bytes, expected);
}

TEST_P(Fill, WritesNothingOutsideItsPart) {
  const Argument a = argument();
  const auto size = static_cast<size_t>(size_of(a.dtype));
  std::string bytes(12 * size, '\x55');
  fill_buffer(a, 500, 10, bytes.data() + size);
  EXPECT_EQ(bytes.substr(0, size), std::string(size, '\x55'));
  EXPECT_EQ(bytes.substr(11 * size), std::string(size, '\x55'));
  fill_buffer(a, 500, 0, nullptr);
}

TEST_P(Fill, TheSeedChangesRandomContentsOnly) {
  Argument a = argument();
  const std::string one = whole(a);
  EXPECT_EQ(whole(a), one);
  a.init.seed = 8;
  EXPECT_EQ(whole(a) == one, a.init.kind != Init::Kind::kRandom);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Fill,
                         testing::Combine(testing::Values(DType::kF16, DType::kBf16, DType::kF32, DType::kF64,
                                                          DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32,
                                                          DType::kU32, DType::kI64, DType::kU64),
                                          testing::Values(Init::Kind::kRandom, Init::Kind::kZeros, Init::Kind::kIota)));

TEST(FillRange, RandomValuesStayInTheirRangeAndFillIt) {
  Argument a{.name = "a", .dtype = DType::kF64, .buffer = true, .elements = 10000};
  a.init = {Init::Kind::kRandom, 3, -2, 5, {}};
  std::vector<double> values(10000);
  fill_buffer(a, 0, 10000, values.data());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -2);
  EXPECT_LT(*low, -1.9);
  EXPECT_LT(*high, 5);
  EXPECT_GT(*high, 4.9);
  a.dtype = DType::kI32;
  a.init = {Init::Kind::kRandom, 3, -2, 5, {}};
  std::vector<int32_t> integers(10000);
  fill_buffer(a, 0, 10000, integers.data());
  EXPECT_EQ(*std::min_element(integers.begin(), integers.end()), -2);
  EXPECT_EQ(*std::max_element(integers.begin(), integers.end()), 5);
}

TEST(FillRange, IotaCountsFromTheFirstElement) {
  const Argument a{
      .name = "a", .dtype = DType::kI64, .buffer = true, .elements = 100, .init = {.kind = Init::Kind::kIota}};
  std::vector<int64_t> values(3);
  fill_buffer(a, 40, 3, values.data());
  EXPECT_EQ(values, (std::vector<int64_t>{40, 41, 42}));
}

TEST(FillRange, HalvesAreTheNearestToTheSameFloats) {
  // Normal, subnormal and zero; counting up to 70000 passes the largest half.
  const Init inits[] = {{Init::Kind::kRandom, 5, -2, 2, {}},
                        {Init::Kind::kRandom, 5, -1e-4, 1e-4, {}},
                        {Init::Kind::kRandom, 5, -1e-8, 1e-8, {}},
                        {.kind = Init::Kind::kIota}};
  constexpr size_t kCount = 70000;
  for (const Init& init : inits) {
    Argument a{.name = "a", .dtype = DType::kF32, .buffer = true, .elements = kCount, .init = init};
    std::vector<float> floats(kCount);
    fill_buffer(a, 0, kCount, floats.data());
    a.dtype = DType::kF16;
    std::vector<uint16_t> halves(kCount);
    fill_buffer(a, 0, kCount, halves.data());
    for (size_t i = 0; i < kCount; ++i) {
      const auto nearest = static_cast<_Float16>(floats[i]);
      uint16_t expected = 0;
      std::memcpy(&expected, &nearest, sizeof expected);
      ASSERT_EQ(halves[i], expected) << floats[i];
    }
  }
}

}  // namespace
}  // namespace swizzleperf

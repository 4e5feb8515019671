#include "measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace swizzleperf {
namespace {

std::vector<double> noisy(double mean, double spread, int count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(mean, spread);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = normal(random);
  return values;
}

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Ratio, AClearDifferenceExcludesOne) {
  const Ratio ratio = ratio_of_medians(noisy(1.10, 0.01, 40, 1), noisy(1.00, 0.01, 40, 2));
  EXPECT_NEAR(ratio.value, 1.10, 0.01);
  EXPECT_TRUE(ratio.faster());
  EXPECT_LE(ratio.low, ratio.value);
  EXPECT_GE(ratio.high, ratio.value);
}

TEST(Ratio, EqualKernelsAreRarelyCalledFaster) {
  int called = 0;
  for (uint64_t i = 0; i < 100; ++i)
    called += ratio_of_medians(noisy(1, 0.05, 25, 2 * i), noisy(1, 0.05, 25, 2 * i + 1)).faster() ? 1 : 0;
  EXPECT_LE(called, 8);  // 2.5 expected
}

TEST(Ratio, WhatDisturbsARoundDisturbsBoth) {
  // Rounds differ by a factor of two, the kernels by 3 % in every round: pairs keep the interval narrow.
  std::vector<double> baseline, other;
  for (int i = 0; i < 40; ++i) {
    const double round = 1.0 + (i * 7 % 40) / 40.0;
    baseline.push_back(1.03 * round);
    other.push_back(round);
  }
  const Ratio ratio = ratio_of_medians(baseline, other);
  EXPECT_NEAR(ratio.low, 1.03, 1e-9);
  EXPECT_NEAR(ratio.high, 1.03, 1e-9);
}

TEST(Ratio, SameSamplesSameInterval) {
  const auto a = noisy(1, 0.1, 31, 5), b = noisy(1, 0.1, 31, 6);
  EXPECT_EQ(ratio_of_medians(a, b).low, ratio_of_medians(a, b).low);
}

}  // namespace
}  // namespace swizzleperf

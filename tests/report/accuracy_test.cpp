// Statistics of the accuracy report, on rows small enough to check by hand.
#include "report/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

using testing::HasSubstr;

AccuracyRow row(const char* map, double measured, double predicted, bool bijective = true, uint64_t function = 0) {
  static uint64_t next = 1;
  return {.kernel = "k",
          .map = map,
          .core = true,
          .bijective = bijective,
          .function = function != 0 ? function : 1000 + next++,
          .measured = {measured - 1, measured + 1},
          .predicted = predicted};
}

TEST(Accuracy, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.9), 9);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Accuracy, ErrorsAreInPointsOrInPercent) {
  EXPECT_DOUBLE_EQ(row("a", 50, 47).error(Metric::kL2HitPercent), 3);
  EXPECT_DOUBLE_EQ(row("a", 2e9, 1.8e9).error(Metric::kDramReadBytes), 10);
}

TEST(Accuracy, PairsCountOnlyWhenTheyDifferByMoreThanTwo) {
  // 10, 11, 20, 30 measured: five pairs differ; 20 and 30 are swapped when predicted, and 11 ties with 20.
  const auto k =
      kernel_accuracy({row("a", 10, 1), row("b", 11, 5), row("c", 20, 5), row("d", 30, 4)}, Metric::kL2HitPercent);
  EXPECT_EQ(k.pairs, 5U);
  EXPECT_EQ(k.pairs_right, 2U);
  EXPECT_DOUBLE_EQ(k.spread, 20);
  ASSERT_TRUE(k.kendall);
  // Of six pairs three agree, two do not, and (11, 20) is a tie.
  EXPECT_NEAR(*k.kendall, (3 - 2) / std::sqrt(6.0 * 5.0), 1e-12);
}

TEST(Accuracy, PairsOfDifferentSessionsAreComparedThroughTheirOwnBaselines) {
  AccuracyRow own = row("baseline", 36, 33), a = row("a", 33.5, 33), b = row("b", 39, 33), c = row("c", 45, 50);
  own.gains = {0, 0};
  a.gains = {0.1};     // measured in a session where the kernel's own order reached 33.4
  b.gains = {0, 0.1};  // and in one where it reached 39
  c.gains = {6, 12};
  const auto k = kernel_accuracy({own, a, b, c}, Metric::kL2HitPercent);
  EXPECT_EQ(k.told_apart, 3U) << "c and each of the others";
  EXPECT_EQ(k.told_apart_right, 3U);
  EXPECT_EQ(k.pairs, 6U);
  EXPECT_EQ(k.pairs_right, 3U);
}

TEST(Accuracy, RangesCountTheRowsThatTheyHold) {
  AccuracyRow inside = row("a", 50, 47), outside = row("b", 60, 47);
  inside.low = outside.low = 45;
  inside.high = outside.high = 51;
  EXPECT_EQ(kernel_accuracy({inside, outside}, Metric::kL2HitPercent).in_range, 1U);
}

TEST(Accuracy, SideFiguresAreRankedOfTheirOwn) {
  std::vector<AccuracyRow> rows = {row("a", 1, 1), row("b", 2, 2), row("c", 3, 3)};
  const double measured[] = {1.0, 2.0, 3.0}, predicted[] = {1.5, 2.5, 2.0};
  for (size_t i = 0; i < rows.size(); ++i) rows[i].side_figures = {{"time, ms", measured[i], predicted[i]}};
  const auto sides = side_accuracy(rows);
  ASSERT_EQ(sides.size(), 1U);
  EXPECT_DOUBLE_EQ(sides[0].median_error, 0.5);
  EXPECT_DOUBLE_EQ(sides[0].predicted_high, 2.5);
  EXPECT_NEAR(sides[0].kendall.value(), 1.0 / 3, 1e-12);
}

TEST(Accuracy, TheBestMapIsChosenAmongBijectiveOnes) {
  const auto wrong =
      kernel_accuracy({row("a", 10, 9), row("b", 20, 8), row("c", 90, 99, false)}, Metric::kL2HitPercent);
  EXPECT_TRUE(wrong.has_choice);
  EXPECT_FALSE(wrong.best_right);
  const auto near = kernel_accuracy({row("a", 18.5, 9), row("b", 20, 8)}, Metric::kL2HitPercent);
  EXPECT_TRUE(near.best_right);
  const auto bytes = kernel_accuracy({row("a", 1e9, 9e8), row("b", 2e9, 1.9e9)}, Metric::kDramReadBytes);
  EXPECT_TRUE(bytes.best_right);
}

TEST(Accuracy, MapsThatAreTheSameFunctionAreOneChoice) {
  const auto k = kernel_accuracy({row("a", 10, 9, true, 7), row("b", 14, 9, true, 7)}, Metric::kL2HitPercent);
  EXPECT_FALSE(k.has_choice);
}

TEST(Accuracy, RowsWithoutAPredictionAreListedAndNotCounted) {
  AccuracyRow out = row("b", 20, 0);
  out.left_out = "the map was not published";
  const AccuracyReport report{.gpu = "MI300X", .metric = Metric::kL2HitPercent, .rows = {row("a", 10, 10), out}};
  EXPECT_EQ(rows_by_kernel(report, false).front().size(), 1U);
  const std::string text = accuracy_markdown({report});
  EXPECT_THAT(text, HasSubstr("Core rows: 1."));
  EXPECT_THAT(text, HasSubstr("the map was not published"));
  EXPECT_THAT(accuracy_csv({report}),
              HasSubstr("MI300X,k,b,true,true,l2_hit_percent,2,20.000,,,,,,,\"the map was not published\"\n"));
}

}  // namespace
}  // namespace swizzleperf

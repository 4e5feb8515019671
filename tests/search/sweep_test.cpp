#include "search/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Prediction taking(double time_ms) {
  Prediction p;
  p.time_ms = time_ms;
  p.dram_read_bytes = 1000;
  p.l2_miss_bytes = 1000;
  return p;
}

SweepPoint point(int64_t n) {
  return {"N=" + std::to_string(n), {n, n}, taking(1.0)};
}

const std::string kTransposed = "t = wg; pid_x = t / grid_y; pid_y = t % grid_y";

// The number of launch ids that a map moves on a grid; -1 where it is no bijection.
int64_t moved(const std::string& map, const Grid& grid) {
  const auto proof = prove(SwizzleExpr::parse(map).value(), grid, {}).value();
  const auto* swizzle = std::get_if<Swizzle>(&proof);
  if (swizzle == nullptr) return -1;
  int64_t count = 0;
  for (size_t i = 0; i < swizzle->tiles().size(); ++i) count += swizzle->tiles()[i] != static_cast<int32_t>(i);
  return count;
}

TEST(Sweep, EffectsAreThoseOfTheDecisionInBothDirections) {
  EXPECT_EQ(effect_of(taking(1), taking(0.9)), Effect::kHelps);
  EXPECT_EQ(effect_of(taking(1), taking(0.99)), Effect::kNothing);
  EXPECT_EQ(effect_of(taking(0.9), taking(1)), Effect::kHurts);
  EXPECT_EQ(effect_of(taking(1), std::nullopt), Effect::kNoMap);
}

TEST(Sweep, NothingIsChosenWhereNothingHelps) {
  EXPECT_FALSE(choose_over_sizes({point(4)}, {{"a", kTransposed, true, {taking(1.0)}}}));
}

TEST(Sweep, AMapThatNeverHurtsNeedsNoCondition) {
  const auto choice = choose_over_sizes({point(4), point(8)}, {{"a", kTransposed, true, {taking(1.0), taking(0.5)}}});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->map, kTransposed);
  EXPECT_EQ(choice->condition, "");
  EXPECT_THAT(choice->guard_grids, IsEmpty());
  EXPECT_EQ(choice->helps, 1);
}

TEST(Sweep, AMapThatHurtsSomewhereIsTheIdentityThere) {
  const auto choice =
      choose_over_sizes({point(4), point(8), point(16), point(32), point(64)},
                        {{"a", kTransposed, true, {taking(2), taking(0.5), taking(1), taking(0.5), taking(2)}}});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->condition, "(num_wgs >= 64 && num_wgs <= 1024)");
  EXPECT_EQ(moved(choice->map, {4, 4}), 0);
  EXPECT_EQ(moved(choice->map, {8, 8}), 56);
  EXPECT_EQ(moved(choice->map, {16, 16}), 240);
  EXPECT_EQ(moved(choice->map, {32, 32}), 992);
  EXPECT_EQ(moved(choice->map, {64, 64}), 0);
}

TEST(Sweep, GridsOfEqualSizeAreToldApartByTheirExtents) {
  SweepPoint wide = point(8), tall = point(8);
  wide.grid = {16, 4};
  tall.grid = {4, 16};
  const auto choice = choose_over_sizes({wide, tall}, {{"a", kTransposed, true, {taking(0.5), taking(2)}}});
  ASSERT_TRUE(choice);
  EXPECT_GT(moved(choice->map, wide.grid), 0);
  EXPECT_EQ(moved(choice->map, tall.grid), 0);
}

TEST(Sweep, OneGridWithTwoOpinionsIsLeftAlone) {
  // The same launch grid at two depths: a condition on the grid cannot tell them apart.
  const auto choice = choose_over_sizes({point(8), point(8), point(16)},
                                        {{"a", kTransposed, true, {taking(0.5), taking(2), taking(0.5)}}});
  ASSERT_TRUE(choice);
  EXPECT_EQ(moved(choice->map, {8, 8}), 0);
  EXPECT_EQ(moved(choice->map, {16, 16}), 240);
  EXPECT_EQ(choice->helps, 1);
}

TEST(Sweep, LinearMapsGetALinearElse) {
  SweepPoint small{"a", {16}, taking(1)}, large{"b", {64}, taking(1)};
  const auto choice =
      choose_over_sizes({small, large}, {{"r", "pid = num_wgs - 1 - wg", true, {taking(2), taking(0.5)}}});
  ASSERT_TRUE(choice);
  EXPECT_EQ(moved(choice->map, {16}), 0);
  EXPECT_EQ(moved(choice->map, {64}), 64);
}

TEST(Sweep, MapsForCertainGridsOnlyAreGuardedByGrid) {
  const auto choice = choose_over_sizes({point(4), point(8), point(16)},
                                        {{"a", kTransposed, false, {std::nullopt, taking(0.5), taking(0.5)}}});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->map, kTransposed);
  EXPECT_THAT(choice->guard_grids, ElementsAre(Grid{8, 8}, Grid{16, 16}));
}

TEST(Sweep, MoreSizesHelpedWinThenNoConditionThenTheGain) {
  const std::vector<SweepPoint> points = {point(4), point(8)};
  const SweepCandidate one{"one", kTransposed, true, {taking(0.1), taking(1)}};
  const SweepCandidate both{"both", kTransposed, true, {taking(0.9), taking(0.9)}};
  const SweepCandidate better{"better", kTransposed, true, {taking(0.8), taking(0.8)}};
  EXPECT_EQ(choose_over_sizes(points, {one, both})->candidate, 1U);
  EXPECT_EQ(choose_over_sizes(points, {better, both})->candidate, 0U);
  const SweepCandidate hurting{"hurting", kTransposed, true, {taking(0.01), taking(2)}};
  EXPECT_EQ(choose_over_sizes(points, {hurting, one})->candidate, 1U);
}

}  // namespace
}  // namespace swizzleperf

#include "swizzle/cost.h"

#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

int cost(const std::string& map, const Grid& grid = {1024}) {
  return estimate_instructions(SwizzleExpr::parse(map).value(), grid);
}

TEST(Cost, TheIdentityOfCoordinatesIsFree) {
  EXPECT_EQ(cost("pid_x = wg_x; pid_y = wg_y", {32, 32}), 0);
}

TEST(Cost, DividingByWhatIsPrintedAsALiteralIsCheaperThanByAValue) {
  EXPECT_EQ(cost("pid = wg / 24"), cost("pid = wg / num_xcds"));
  EXPECT_LT(cost("pid = wg / 24"), cost("pid = wg / grid_x"));
  EXPECT_LT(cost("pid = wg / 24 + wg % 24"), cost("pid = wg / 24 + wg % 23"));
}

TEST(Cost, CurvesCostStepsThatGrowWithTheGrid) {
  const std::string hilbert = "pid_x = hilbert_x(wg, grid_y, grid_x); pid_y = hilbert_y(wg, grid_y, grid_x)";
  EXPECT_GT(cost(hilbert, {32, 32}), 10 * cost("pid_x = wg % grid_x; pid_y = wg / grid_x", {32, 32}));
  EXPECT_GT(cost(hilbert, {1024, 1024}), cost(hilbert, {32, 32}));
}

}  // namespace
}  // namespace swizzleperf

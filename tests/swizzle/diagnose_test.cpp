#include "swizzle/diagnose.h"

#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

std::optional<Suggestion> suggestion(const char* map, const Grid& grid, int64_t xcds) {
  const auto expr = SwizzleExpr::parse(map).value();
  return suggest(grid, evaluate_map(expr, grid, {{"num_xcds", xcds}}).value(), xcds);
}

TEST(Diagnose, FloorAndCeilFormsAreAnsweredWithTheBalancedOne) {
  for (const char* map : {"q = num_wgs / num_xcds; pid = (wg % num_xcds) * q + wg / num_xcds",
                          "q = (num_wgs + num_xcds - 1) / num_xcds; pid = (wg % num_xcds) * q + wg / num_xcds"}) {
    const auto found = suggestion(map, Grid{1001}, 8);
    ASSERT_TRUE(found) << map;
    EXPECT_NE(found->reason.find("balanced"), std::string::npos);
  }
}

TEST(Diagnose, AChunkWithoutAGuardIsAnsweredWithAGuardedOne) {
  const auto found = suggestion("c = wg / num_xcds; pid = c / 64 * 512 + wg % num_xcds * 64 + c % 64", Grid{4332}, 8);
  ASSERT_TRUE(found);
  EXPECT_NE(found->reason.find("guard"), std::string::npos);
}

TEST(Diagnose, AnUnknownMapGetsNoSuggestion) {
  EXPECT_FALSE(suggestion("pid = wg / 2", Grid{1001}, 8));
}

TEST(Diagnose, TheFloorFormFailsExactlyWhereXcdsDoNotDivide) {
  const auto expr = SwizzleExpr::parse("pid = wg % num_xcds * (num_wgs / num_xcds) + wg / num_xcds").value();
  const auto found = failing_grids(expr, Grid{64}, {{"num_xcds", 8}}, 80).value();
  EXPECT_EQ(found.tried, 80);
  EXPECT_EQ(found.failing, 69);  // ten are multiples of 8, and one workgroup alone always stays in place
}

TEST(Diagnose, TooLargeABoundIsAnError) {
  const auto expr = SwizzleExpr::parse("pid = wg").value();
  EXPECT_FALSE(failing_grids(expr, Grid{64}, {}, 0));
  EXPECT_FALSE(failing_grids(expr, Grid{4096, 4096}, {}, 4096));
}

}  // namespace
}  // namespace swizzleperf

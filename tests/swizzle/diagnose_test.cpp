#include "swizzle/diagnose.h"

#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

std::optional<Suggestion> suggestion(const std::string& map, const Grid& grid, int64_t xcds) {
  const auto expr = SwizzleExpr::parse(map).value();
  const Sizes sizes = {{"num_xcds", xcds}};
  auto found = suggest(expr, grid, evaluate_map(expr, grid, sizes).value(), sizes);
  if (found) {
    const auto better = SwizzleExpr::parse(found->map);
    EXPECT_TRUE(better) << found->map;
    EXPECT_TRUE(inspect_map(grid, evaluate_map(*better, grid, sizes).value()).bijective) << found->map;
  }
  return found;
}

void expect_suggestion(const std::vector<std::string>& maps, const Grid& grid, int64_t xcds, const std::string& says) {
  for (const std::string& map : maps) {
    const auto found = suggestion(map, grid, xcds);
    ASSERT_TRUE(found) << map;
    EXPECT_NE(found->reason.find(says), std::string::npos) << map << ": " << found->reason;
  }
}

TEST(Diagnose, RangesOfXcdsThatDoNotAddUpAreAnsweredWithTheBalancedForm) {
  expect_suggestion({"q = num_wgs / num_xcds; pid = (wg % num_xcds) * q + wg / num_xcds",
                     "pid = wg / num_xcds + (wg - wg / num_xcds * num_xcds) * ((num_wgs - num_wgs % 8) / 8)",
                     "pid = (wg & 7) * (num_wgs >> 3) + (wg >> 3)"},
                    Grid{1001}, 8, "floor form");
  expect_suggestion({"q = (num_wgs + num_xcds - 1) / num_xcds; pid = (wg % num_xcds) * q + wg / num_xcds",
                     "pid = (wg & 7) * ceil_div(num_wgs, 8) + (wg >> 3)"},
                    Grid{1001}, 8, "ceil form");
  expect_suggestion(
      {"q = num_wgs / num_xcds; r = num_wgs % num_xcds; x = wg % num_xcds; pid = x * q + r + wg / num_xcds",
       "q = num_wgs / num_xcds; r = num_wgs % num_xcds; x = wg % num_xcds; "
       "pid = x * q + min(x, r - 1) + wg / num_xcds",
       "q = num_wgs / num_xcds; x = wg % num_xcds; pid = x * (q + 2) + wg / num_xcds"},
      Grid{1003}, 8, "balanced form");
  expect_suggestion({"pid = wg % num_xcds * (num_wgs / num_xcds) + wg / num_xcds"}, Grid{100}, 6, "floor form");
}

TEST(Diagnose, ChunksWithoutARightTailAreAnsweredWithAnEvenOne) {
  expect_suggestion({"c = wg / num_xcds; pid = c / 64 * 512 + wg % num_xcds * 64 + c % 64",
                     "c = wg / 8; pid = ((c / 64) << 9) + ((wg & 7) << 6) + (c & 63)"},
                    Grid{4332}, 8, "chunks of 64");
  expect_suggestion({"c = wg / 8; pid = c / 12 * 96 + wg % 8 * 12 + c % 12",
                     "c = wg / 8; t = c / 12 * 96 + wg % 8 * 12 + c % 12; pid = wg < num_wgs / 96 * 96 ? t : wg - 1",
                     "c = wg / 8; t = c / 12 * 96 + wg % 8 * 12 + c % 12; pid = wg < num_wgs / 8 * 8 ? t : wg"},
                    Grid{1001}, 8, "chunks of 12");
}

TEST(Diagnose, GroupsWhoseLastOneIsShorterAreAnsweredWithItsOwnHeight) {
  const std::string rows = "g = wg / (8 * grid_x); m = wg % (8 * grid_x); pid_y = g * 8 + m % 8; pid_x = m / 8";
  expect_suggestion({rows}, Grid{40, 30}, 8, "groups of 8 rows");
  const std::string columns = "g = wg / (4 * grid_y); m = wg % (4 * grid_y); pid_x = g * 4 + m % 4; pid_y = m / 4";
  expect_suggestion({columns}, Grid{31, 20}, 8, "groups of 4 columns");
}

TEST(Diagnose, XorThatLeavesTheGridKeepsThoseLaunchesInPlace) {
  expect_suggestion({"pid = wg ^ 5", "pid = wg ^ (wg / 8 % 8)", "pid = wg ^ 7 * (wg % 2 == 0 ? 1 : 1)"}, Grid{1001}, 1,
                    "keep their own tile");
}

TEST(Diagnose, AnUnknownMapGetsNoSuggestion) {
  for (const char* map : {"pid = wg / 2", "pid = 0", "pid = wg * wg % num_wgs", "pid = -1", "pid = wg + 1"})
    EXPECT_FALSE(suggestion(map, Grid{1001}, 8)) << map;
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

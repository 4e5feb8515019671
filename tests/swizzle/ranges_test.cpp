// Enclosures hold what happens on every grid up to their size; 32 bits are chosen only where they suffice.
#include "swizzle/ranges.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "swizzle/families.h"

namespace swizzleperf {
namespace {

using detail::RegisterRange;

const detail::Program& program_of(const SwizzleExpr& expr) {
  return expr.program();
}

void expect_enclosed(const std::string& map, int64_t most, const std::vector<Grid>& grids, const Sizes& sizes) {
  const auto expr = SwizzleExpr::parse(map).value();
  const auto enclosing = detail::enclosing_ranges(program_of(expr), most, sizes);
  for (const Grid& grid : grids) {
    ASSERT_LE(grid.size(), most);
    const auto exact = detail::exact_ranges(program_of(expr), {grid}, sizes);
    if (!exact) continue;  // faults on this grid
    for (size_t r = 0; r < exact->size(); ++r) {
      const RegisterRange& seen = (*exact)[r];
      if (seen.low > seen.high) continue;
      EXPECT_LE(enclosing[r].low, seen.low) << map << " register " << r << " on " << to_string(grid);
      EXPECT_GE(enclosing[r].high, seen.high) << map << " register " << r << " on " << to_string(grid);
    }
  }
}

std::vector<Grid> grids_up_to(int64_t most) {
  std::vector<Grid> grids = {{most, 1, 1}, {1, most, 1}, {1, 1, most}};
  for (const int64_t x : {1, 2, 3, 5, 8, 13, 21}) {
    for (const int64_t y : {1, 2, 7, 10, 16}) {
      for (const int64_t z : {1, 3, 4}) {
        if (x * y * z <= most) grids.push_back({x, y, z});
      }
    }
  }
  return grids;
}

TEST(Ranges, FamiliesStayInsideTheirEnclosure) {
  for (const FamilyRequest& request : std::vector<FamilyRequest>{
           {.grid = {21, 16}, .num_xcds = 8}, {.grid = {400}, .num_xcds = 6}, {.grid = {5, 7, 4}, .num_xcds = 8}}) {
    for (const auto& member : enumerate_families(request)) {
      if (!member.every_grid) continue;
      std::vector<Grid> grids;
      for (const Grid& grid : grids_up_to(1000)) {
        if (grid.axes() <= request.grid.axes()) grids.push_back(grid);
      }
      expect_enclosed(member.map, 1000, grids, {{"num_xcds", request.num_xcds}});
    }
  }
}

std::string random_expression(int depth) {
  const auto pick = [](std::vector<std::string> from) { return *rc::gen::elementOf(std::move(from)); };
  if (depth == 0)
    return pick({"wg", "wg_x", "wg_y", "wg_z", "grid_x", "grid_y", "grid_z", "num_wgs", "num_xcds", "0", "1", "-3", "7",
                 "64", "1000003"});
  const std::string a = random_expression(depth - 1);
  const std::string b = random_expression(depth - 1);
  const std::string op = pick({"+",        "-",         "*",         "/",        "%",        "&", "|",   "^",   "<<",
                               ">>",       "<",         "==",        "&&",       "||",       "?", "min", "max", "abs",
                               "ceil_div", "hilbert_x", "hilbert_y", "morton_x", "morton_y", "-", "~",   "!"});
  if (op == "?") return "(" + a + " ? " + b + " : " + a + ")";
  if (op == "min" || op == "max" || op == "ceil_div") return op + "(" + a + ", " + b + ")";
  if (op == "abs") return "abs(" + a + ")";
  if (op == "~" || op == "!") return op + "(" + a + ")";
  if (op.find('_') != std::string::npos) return op + "(wg, " + a + ", " + b + ")";
  return "(" + a + ") " + op + " (" + b + ")";
}

TEST(Ranges, RandomExpressionsStayInsideTheirEnclosure) {
  const auto grids = grids_up_to(340);
  rc::check("enclosed", [&] { expect_enclosed("pid = " + random_expression(4), 340, grids, {{"num_xcds", 8}}); });
}

TEST(Ranges, ThirtyTwoBitsAreRefusedWhereTheyDoNotSuffice) {
  const auto narrow = [](const std::string& map, const Grid& grid) {
    const auto expr = SwizzleExpr::parse(map).value();
    const auto ranges = detail::exact_ranges(program_of(expr), {grid}, {{"num_xcds", 8}}).value();
    return detail::fits_32_bits(program_of(expr), ranges, grid.size());
  };
  EXPECT_TRUE(narrow("pid = wg * 2147483647 / 2147483647 * 0 + wg", {2}));
  EXPECT_FALSE(narrow("pid = wg * 2147483647 / 2147483647", {3}));
  EXPECT_FALSE(narrow("pid = wg + 2147483648 - 2147483648", {3}));
  EXPECT_FALSE(narrow("pid = wg >> 32", {3}));  // the value fits, the count does not
  EXPECT_FALSE(narrow("pid = (1 << 31) * 0 + wg", {3}));
  EXPECT_TRUE(narrow("pid = (1 << 30) * 0 + wg", {3}));
  EXPECT_FALSE(narrow("pid = (-2147483647 - 1) % -1 + wg", {3}));
  EXPECT_FALSE(narrow("pid = hilbert_x(wg, 100000, 100000)", {3}));  // rows * columns
  EXPECT_FALSE(narrow("pid = hilbert_x(wg, 1, 1500000000)", {3}));   // 3 * width
  EXPECT_TRUE(narrow("pid = hilbert_x(wg, 40000, 40000)", {3}));
  EXPECT_TRUE(narrow("pid = wg < 5 ? wg : wg * 99999999999", {3}));  // never evaluated
}

TEST(Ranges, ProductsOfAxesAreAtMostTheNumberOfWorkgroups) {
  const auto expr =
      SwizzleExpr::parse("a = grid_x * grid_y; b = a * grid_z - num_wgs; pid = wg % (grid_z * grid_x)").value();
  const int64_t most = (int64_t{1} << 31) - 1;
  EXPECT_TRUE(detail::fits_32_bits(program_of(expr), detail::enclosing_ranges(program_of(expr), most, {}), most));
  const auto square = SwizzleExpr::parse("pid = wg * 0 + grid_x * grid_x").value();
  EXPECT_FALSE(detail::fits_32_bits(program_of(square), detail::enclosing_ranges(program_of(square), most, {}), most));
}

}  // namespace
}  // namespace swizzleperf

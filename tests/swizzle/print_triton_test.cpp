// Printed Triton, run as plain Python with a stand-in for the language, gives the evaluator's tiles on whole grids.
#include <fmt/format.h>

#include <sstream>

#include "base/file.h"
#include "base/process.h"
#include "tests/swizzle/printing.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string without_imports(std::string text) {
  for (const std::string line : {"import triton\n", "import triton.language as tl\n"}) {
    if (const size_t at = text.find(line); at != std::string::npos) text.erase(at, line.size());
  }
  return text;
}

void expect_printed_triton_equals_evaluator(const std::vector<Printed>& maps) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  std::string source =
      read_file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/swizzle/triton_standin.py").value() + "\n";
  for (size_t i = 0; i < maps.size(); ++i) {
    const auto printed = print_map(maps[i].swizzle, Target::kTriton,
                                   {.prefix = fmt::format("m{}_", i), .guarded = maps[i].guarded, .indent = "    "});
    ASSERT_TRUE(printed) << describe(printed.error());
    const Grid& grid = maps[i].swizzle.grid();
    source += without_imports(printed->helpers);
    source += fmt::format("\ndef map_{0}():\n{1}    return m{0}_pid_x, m{0}_pid_y, m{0}_pid_z\n\n", i, printed->body);
    source += fmt::format("run({0}, map_{0}, ({1}, {2}, {3}))\n", i, grid.x, grid.y, grid.z);
  }
  const auto file = folder->path() / "maps.py";
  ASSERT_TRUE(write_file_atomic(file, source));
  const auto run = run_process({"python3", file.string()});
  ASSERT_TRUE(run);
  ASSERT_TRUE(run->ok()) << run->err;
  std::istringstream lines(run->out);
  size_t seen = 0;
  for (std::string line; std::getline(lines, line); ++seen) {
    std::istringstream words(line);
    size_t index = 0;
    words >> index;
    ASSERT_EQ(index, seen);
    std::vector<int32_t> tiles;
    for (int32_t tile = 0; words >> tile;) tiles.push_back(tile);
    EXPECT_EQ(tiles, maps[index].swizzle.tiles()) << maps[index].swizzle.expr().text();
  }
  EXPECT_EQ(seen, maps.size());
}

TEST(PrintTriton, FamiliesAndCurvesEqualTheEvaluator) {
  const auto maps = family_maps(1, small_requests());
  EXPECT_GT(maps.size(), 60U);
  expect_printed_triton_equals_evaluator(maps);
}

TEST(PrintTriton, CurvesOnRectanglesOfEveryShape) {
  std::vector<Printed> maps;
  for (const Grid& grid :
       std::vector<Grid>{{1, 1}, {2, 1}, {1, 9}, {2, 2}, {3, 3}, {5, 2}, {2, 7}, {16, 16}, {40, 3}, {3, 41}}) {
    for (const std::string curve : {"hilbert", "morton"}) {
      const std::string map =
          fmt::format("pid_x = {0}_x(wg, grid_y, grid_x); pid_y = {0}_y(wg, grid_y, grid_x)", curve);
      maps.push_back({swizzle_of(map, grid), true});
      maps.push_back({swizzle_of(map, grid), false});
    }
  }
  expect_printed_triton_equals_evaluator(maps);
}

TEST(PrintTriton, PublishedMapsEqualTheEvaluator) {
  const auto maps = published_maps(4096);
  EXPECT_GT(maps.size(), 10U);
  expect_printed_triton_equals_evaluator(maps);
}

TEST(PrintTriton, NegativeOperandsDivideAsInC) {
  std::vector<Printed> maps;
  for (const char* map :
       {"pid = (wg - 12) / 5 * 5 + (wg - 12) % 5 + 12", "pid = 23 + (-7 / 2 + 3) - wg + (-7 % 2 + 1)",
        "pid = ceil_div(wg - 12, 5) * 5 + ((wg - 12) - ceil_div(wg - 12, 5) * 5) + 12",
        "pid = (wg - 12) / -5 * -5 + (wg - 12) % -5 + 12", "pid = ceil_div(12 - wg, -1) + 12", "pid = abs(wg - 23)",
        "pid = wg * 4294967296 / 4294967296", "pid = wg ^ (wg < 16 && wg > 3 || wg / 2 == 9)",
        "d = wg - 3; pid = d == 0 ? wg : wg + 0 * (7 / d)", "pid = ~(wg - 24)", "pid = (wg << 3) >> 3"})
    maps.push_back({swizzle_of(map, {24}), true});
  expect_printed_triton_equals_evaluator(maps);
}

TEST(PrintTriton, UsesOneOperationWhereOperandsAreNotNegative) {
  const auto printed = print_map(swizzle_of("pid = wg / 2 + wg % 2 * 12", {24}), Target::kTriton).value();
  EXPECT_THAT(printed.body, HasSubstr("tl.program_id(0)"));
  EXPECT_THAT(printed.body, HasSubstr("//"));
  EXPECT_THAT(printed.helpers, "");
  EXPECT_THAT(printed.body, Not(HasSubstr("int64")));
  EXPECT_THAT(print_map(swizzle_of("pid = wg * 4294967296 / 4294967296", {24}), Target::kTriton)->body,
              HasSubstr(".to(tl.int64)"));
}

TEST(PrintTriton, ConditionsHaveNoChainsOfAndOrOr) {
  const auto printed =
      print_map(swizzle_of("pid_x = wg_y; pid_y = wg_x", {24, 24}), Target::kTriton, {.guard_grids = {{8, 8, 1}}})
          .value();
  EXPECT_THAT(printed.body, Not(HasSubstr(" and ")));
  EXPECT_THAT(printed.body, Not(HasSubstr(" or ")));
  EXPECT_THAT(printed.body, HasSubstr("sp_grid_x == 8"));
}

}  // namespace
}  // namespace swizzleperf

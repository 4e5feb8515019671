#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "swizzle/program.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

using Json = nlohmann::json;

Json read_cases(const std::string& name) {
  return Json::parse(std::ifstream(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/cases/" + name));
}

MapReport inspect(const Json& one) {
  std::array<int64_t, 3> axes = {1, 1, 1};
  for (size_t i = 0; i < one["grid"].size(); ++i) axes.at(i) = one["grid"][i];
  const Grid grid = make_grid(axes[0], axes[1], axes[2]).value();
  const auto expr = SwizzleExpr::parse(one["map"].get<std::string>()).value();
  return inspect_map(grid, evaluate_map(expr, grid, {{"num_xcds", one["num_xcds"]}}).value());
}

TEST(Prove, ReportedMapsComeOutAsStated) {
  for (const Json& one : read_cases("reported_maps.json")) {
    const MapReport report = inspect(one);
    const Json& expect = one["expect"];
    EXPECT_EQ(report.bijective, expect["bijective"]) << one["id"];
    EXPECT_EQ(report.distinct, expect["distinct"]) << one["id"];
    EXPECT_EQ(report.missing, expect["missing"]) << one["id"];
    EXPECT_EQ(report.duplicated, expect["duplicated"]) << one["id"];
    EXPECT_EQ(report.out_of_range, expect["out_of_range"]) << one["id"];
    EXPECT_EQ(report.identity, expect["identity"]) << one["id"];
  }
}

TEST(Prove, PublishedMapsComeOutAsStated) {
  for (const Json& one : read_cases("published_maps.json")) {
    const MapReport report = inspect(one);
    EXPECT_EQ(report.bijective, one["bijective"]) << one["id"];
    EXPECT_EQ(report.distinct, one["distinct_tiles"]) << one["id"];
    EXPECT_EQ(report.out_of_range, one["out_of_range"]) << one["id"];
  }
}

TEST(Prove, OnlyABijectionBecomesASwizzle) {
  const auto good = prove(SwizzleExpr::parse("pid = num_wgs - 1 - wg").value(), Grid{10}, {}).value();
  ASSERT_TRUE(std::holds_alternative<Swizzle>(good));
  EXPECT_EQ(std::get<Swizzle>(good).tiles().front(), 9);
  const auto bad = prove(SwizzleExpr::parse("pid = wg / 2").value(), Grid{10}, {}).value();
  ASSERT_TRUE(std::holds_alternative<MapReport>(bad));
  EXPECT_EQ(std::get<MapReport>(bad).lost_examples, (std::vector<int64_t>{5, 6, 7, 8, 9}));
  EXPECT_EQ(std::get<MapReport>(bad).duplicated_examples, (std::vector<int64_t>{1, 3, 5, 7, 9}));
}

TEST(Prove, SwizzlesAreEqualWhenTheFunctionsAre) {
  const auto swizzle = [](const char* text) {
    return std::get<Swizzle>(prove(SwizzleExpr::parse(text).value(), Grid{8, 4}, {}).value());
  };
  EXPECT_EQ(swizzle("pid = wg"), swizzle("pid_x = wg_x; pid_y = wg_y"));
  EXPECT_FALSE(swizzle("pid = wg") == swizzle("pid = num_wgs - 1 - wg"));
}

TEST(Prove, EveryAxisOfTheGridMustBeAssigned) {
  EXPECT_FALSE(evaluate_map(SwizzleExpr::parse("pid_x = wg_x").value(), Grid{4, 4}, {}));
}

TEST(Curves, VisitEveryCellOfEveryRectangle) {
  for (const std::string curve : {"hilbert", "morton"}) {
    for (int64_t rows = 1; rows <= 17; ++rows) {
      for (int64_t columns = 1; columns <= 17; ++columns) {
        const Grid grid{columns, rows};
        const auto expr = SwizzleExpr::parse("pid_x = " + curve + "_x(wg, grid_y, grid_x); pid_y = " + curve +
                                             "_y(wg, grid_y, grid_x)")
                              .value();
        EXPECT_TRUE(inspect_map(grid, evaluate_map(expr, grid, {}).value()).bijective)
            << curve << " " << rows << "x" << columns;
      }
    }
  }
}

TEST(Curves, AllCellsAreTheSingleCells) {
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 2}, {5, 5}, {7, 13}, {13, 7}, {16, 16}, {31, 64}, {100, 3}, {3, 100}}) {
    const auto hilbert = detail::hilbert_cells(rows, columns);
    const auto morton = detail::morton_cells(rows, columns);
    ASSERT_EQ(hilbert.size(), static_cast<size_t>(rows * columns));
    ASSERT_EQ(morton.size(), static_cast<size_t>(rows * columns));
    for (int64_t t = 0; t < rows * columns; ++t) {
      const auto i = static_cast<size_t>(t);
      EXPECT_EQ(hilbert[i].column, detail::hilbert_cell(t, rows, columns).column) << rows << "x" << columns << " " << t;
      EXPECT_EQ(hilbert[i].row, detail::hilbert_cell(t, rows, columns).row);
      EXPECT_EQ(morton[i].column, detail::morton_cell(t, rows, columns).column);
      EXPECT_EQ(morton[i].row, detail::morton_cell(t, rows, columns).row);
    }
  }
}

TEST(Curves, RectanglesThatDifferBetweenWorkgroupsAreEvaluatedOneByOne) {
  const Grid grid{64};
  const auto varying = SwizzleExpr::parse(
                           "r = wg < 32 ? 4 : 8; t = wg % 32; pid = hilbert_x(t, r, 32 / r) + 8 * "
                           "hilbert_y(t, r, 32 / r) % 8")
                           .value();
  const auto tiles = evaluate_map(varying, grid, {}).value();
  for (int64_t wg = 0; wg < 64; ++wg) {
    const int64_t rows = wg < 32 ? 4 : 8;
    const auto cell = detail::hilbert_cell(wg % 32, rows, 32 / rows);
    EXPECT_EQ(tiles[static_cast<size_t>(wg)], cell.column + 8 * cell.row % 8) << wg;
  }
}

TEST(Curves, HilbertStepsToANeighbourOnEvenRectangles) {
  const Grid grid{24, 16};
  const auto expr =
      SwizzleExpr::parse("pid_x = hilbert_x(wg, grid_y, grid_x); pid_y = hilbert_y(wg, grid_y, grid_x)").value();
  const auto tiles = evaluate_map(expr, grid, {}).value();
  for (size_t i = 1; i < tiles.size(); ++i) {
    const Coordinate a = coordinate(grid, tiles[i - 1]);
    const Coordinate b = coordinate(grid, tiles[i]);
    EXPECT_EQ(std::abs(a.x - b.x) + std::abs(a.y - b.y), 1) << i;
  }
}

}  // namespace
}  // namespace swizzleperf

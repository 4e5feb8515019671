// Who shares which lines: by array, and by place of the code.
#include "workload/reuse.h"

#include <gtest/gtest.h>

#include "workload/site_reuse.h"

namespace swizzleperf {
namespace {

// Tile (x, y) of a grid loads x + 1 lines of `a` at site 1, each twice, and the first of them again at site 2; then it
// stores a line of its own to `b` at site 3.
Workload growing(const Grid& grid) {
  Workload w;
  w.grid = grid;
  w.arrays = {{"a", 1 << 20, 4}, {"b", 1 << 24, 4}};
  w.patterns = {{{{0, 128, 1}}}};
  w.sites = {{}, {10}, {20}, {30}};
  w.tile_begin = {0};
  w.phase_begin = {0};
  for (int64_t tile = 0; tile < grid.size(); ++tile) {
    const int64_t x = coordinate(grid, tile).x;
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t line = 0; line <= x; ++line) w.accesses.push_back({line * 128, 0, 0, AccessKind::kLoad, 1});
    }
    w.accesses.push_back({0, 0, 0, AccessKind::kLoad, 2});
    w.accesses.push_back({tile * 128, 0, 1, AccessKind::kStore, 3});
    w.phase_begin.push_back(static_cast<int64_t>(w.accesses.size()));
    w.tile_begin.push_back(tile + 1);
  }
  return w;
}

TEST(Reuse, NoAxisStandsStillInTheSample) {
  const Reuse reuse = analyse_reuse(growing({256, 32, 1}));
  EXPECT_EQ(reuse.arrays[0].touched_bytes, 256 * 128);
  EXPECT_NEAR(reuse.arrays[0].bytes_per_tile, 128.5 * 128, 0.1 * 128 * 128);
}

TEST(SiteReuse, TellsWhatEachPlaceAsksFor) {
  const auto places = reuse_by_site(growing({8, 4, 1}));
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].site, 1);
  EXPECT_DOUBLE_EQ(places[0].lines_per_tile, 4.5);
  EXPECT_DOUBLE_EQ(places[0].times_per_tile, 2);
  EXPECT_DOUBLE_EQ(places[0].tiles_per_line, 4.5 * 32 / 8);
  EXPECT_DOUBLE_EQ(places[0].seen_before, 0);
  EXPECT_DOUBLE_EQ(places[1].seen_before, 1);
  EXPECT_DOUBLE_EQ(places[1].tiles_per_line, 32);
  EXPECT_TRUE(places[2].stores);
  EXPECT_DOUBLE_EQ(places[2].tiles_per_line, 1);
  EXPECT_DOUBLE_EQ(places[2].times_per_tile, 1);
}

TEST(SiteReuse, KnowsNothingOfUnknownPlaces) {
  Workload workload = growing({8, 4, 1});
  workload.sites.clear();
  EXPECT_TRUE(reuse_by_site(workload).empty());
}

}  // namespace
}  // namespace swizzleperf

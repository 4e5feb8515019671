#include "swizzle/families.h"

#include <gtest/gtest.h>

#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

bool bijective(const FamilyMember& member, const Grid& grid, int64_t num_xcds) {
  const auto expr = SwizzleExpr::parse(member.map);
  if (!expr) {
    ADD_FAILURE() << member.name << ": " << describe(expr.error());
    return false;
  }
  const auto tiles = evaluate_map(*expr, grid, {{"num_xcds", num_xcds}});
  if (!tiles) {
    ADD_FAILURE() << member.name << ": " << describe(tiles.error());
    return false;
  }
  return inspect_map(grid, *tiles).bijective;
}

TEST(Families, EveryMemberIsABijectionOnItsGrid) {
  const std::vector<FamilyRequest> requests = {
      {.grid = {64, 64}, .num_xcds = 8},
      {.grid = {31, 33}, .num_xcds = 8},
      {.grid = {1000}, .num_xcds = 6},
      {.grid = {13, 7, 5}, .num_xcds = 8},
      {.grid = {77 * 19}, .num_xcds = 8, .tile_rows = 77, .tile_columns = 19},
      {.grid = {2 * 4 * 3 * 10}, .num_xcds = 8, .digits = {2, 4, 3, 10}},
      {.grid = {10, 12, 2}, .num_xcds = 8, .digits = {2, 4, 3, 10}, .uneven_digit = 3},
      {.grid = {9, 14}, .num_xcds = 4, .digits = {14, 9}, .uneven_digit = 0}};
  for (const auto& request : requests) {
    const auto members = enumerate_families(request);
    EXPECT_EQ(members.front().name, "identity");
    EXPECT_GT(members.size(), 5U);
    for (const auto& member : members) EXPECT_TRUE(bijective(member, request.grid, request.num_xcds)) << member.name;
  }
}

// The members that may be emitted unguarded, on grids they were not made for: all small ones.
TEST(Families, UnguardedMembersAreBijectionsOnAllSmallGrids) {
  for (const Grid& made_for : {Grid{48}, Grid{20, 24}, Grid{6, 5, 4}}) {
    for (const auto& member : enumerate_families({.grid = made_for, .num_xcds = 8})) {
      if (!member.every_grid) continue;
      for (int64_t x = 1; x <= 9; ++x) {
        for (int64_t y = 1; y <= (made_for.axes() > 1 ? 9 : 1); ++y) {
          for (int64_t z = 1; z <= (made_for.axes() > 2 ? 3 : 1); ++z) {
            for (const int64_t xcds : {1, 3, 8}) {
              ASSERT_TRUE(bijective(member, {x, y, z}, xcds))
                  << member.name << " on " << x << "x" << y << "x" << z << ", " << xcds << " XCDs";
            }
          }
        }
      }
    }
  }
}

TEST(Families, ChunkedNeverSilentlyBecomesTheIdentity) {
  for (const auto& member : enumerate_families({.grid = {256}, .num_xcds = 8})) {
    if (member.name.rfind("xcd_chunked", 0) != 0) continue;
    const auto expr = SwizzleExpr::parse(member.map).value();
    for (const int64_t n : {17, 100, 255, 256, 257}) {
      EXPECT_FALSE(inspect_map({n}, evaluate_map(expr, {n}, {{"num_xcds", 8}}).value()).identity)
          << member.name << " on " << n;
    }
  }
}

TEST(Families, OneDomainHasNoXcdMembers) {
  for (const auto& member : enumerate_families({.grid = {64, 64}, .num_xcds = 1})) {
    EXPECT_EQ(member.map.find("num_xcds"), std::string::npos) << member.name;
  }
}

}  // namespace
}  // namespace swizzleperf

#include "search/tile_shape.h"

#include <gtest/gtest.h>

#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

using Shape = std::pair<int64_t, int64_t>;

TEST(TileShape, OfALinearGemmIsReadOffItsFootprints) {
  EXPECT_EQ(find_tile_shape(workloads::linear_gemm({.m = 512, .n = 1024, .k = 64})), Shape(4, 8));
  EXPECT_EQ(find_tile_shape(workloads::linear_gemm({.m = 1024, .n = 384, .k = 64})), Shape(8, 3));
}

TEST(TileShape, IsUnknownWhereNoTileSharesData) {
  EXPECT_EQ(find_tile_shape(workloads::elementwise(64, 1024)), Shape(0, 0));
}

TEST(TileShape, IsNotAskedOfGridsWithTwoAxes) {
  EXPECT_EQ(find_tile_shape(workloads::gemm({.m = 512, .n = 1024, .k = 64})), Shape(0, 0));
}

}  // namespace
}  // namespace swizzleperf

#include "search/tile_digits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

using ::testing::ElementsAre;

TEST(TileDigits, OfALinearGemmAreItsRowsAndColumns) {
  EXPECT_THAT(find_tile_digits(workloads::linear_gemm({.m = 512, .n = 1024, .k = 64})).digits, ElementsAre(4, 8));
  EXPECT_THAT(find_tile_digits(workloads::linear_gemm({.m = 1024, .n = 384, .k = 64})).digits, ElementsAre(8, 3));
}

TEST(TileDigits, AreTheAxesWhereNothingSplitsThem) {
  const TileDigits gemm = find_tile_digits(workloads::gemm({.m = 512, .n = 1024, .k = 64}));
  EXPECT_THAT(gemm.digits, ElementsAre(4, 8));
  EXPECT_EQ(gemm.uneven, -1);
  EXPECT_THAT(find_tile_digits(workloads::elementwise(64, 1024)).digits, ElementsAre(64));
  EXPECT_THAT(find_tile_digits(workloads::stencil(512, 32)).digits, ElementsAre(16, 16));
}

TEST(TileDigits, ShowTheHeadsThatShareKeys) {
  const TileDigits digits = find_tile_digits(workloads::attention(3, 8, 4, 16, false));
  EXPECT_THAT(digits.digits, ElementsAre(6, 4, 16));
  EXPECT_EQ(digits.uneven, -1);
}

TEST(TileDigits, ACausalMaskMakesTheQueryBlocksUneven) {
  EXPECT_EQ(find_tile_digits(workloads::attention(3, 8, 4, 16, true)).uneven, 2);
  EXPECT_EQ(find_tile_digits(workloads::attention(1, 8, 1, 16, true)).uneven, 1);
}

}  // namespace
}  // namespace swizzleperf

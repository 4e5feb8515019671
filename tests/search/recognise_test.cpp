#include "search/recognise.h"

#include <gtest/gtest.h>

#include "swizzle/swizzle.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

// A linear GEMM whose kernel applies `map` itself: launch id w does the tile that the map gives.
Workload swizzled_gemm(const std::string& map) {
  const Workload plain = workloads::linear_gemm({.m = 1024, .n = 2048, .k = 64});
  const auto order = evaluate_map(SwizzleExpr::parse(map).value(), plain.grid, {{"num_xcds", 8}}).value();
  Workload result = plain;
  result.tile_begin = {0};
  result.phase_begin = {0};
  result.accesses.clear();
  for (const int32_t tile : order) {
    const auto t = static_cast<size_t>(tile);
    for (int64_t p = plain.tile_begin[t]; p < plain.tile_begin[t + 1]; ++p) {
      for (int64_t a = plain.phase_begin[static_cast<size_t>(p)]; a < plain.phase_begin[static_cast<size_t>(p) + 1];
           ++a)
        result.accesses.push_back(plain.accesses[static_cast<size_t>(a)]);
      result.phase_begin.push_back(static_cast<int64_t>(result.accesses.size()));
    }
    result.tile_begin.push_back(static_cast<int64_t>(result.phase_begin.size()) - 1);
  }
  return result;
}

ExistingOrder recognised(const Workload& workload) {
  return recognise_order(workload, load_gpu("mi300x").value());
}

TEST(Recognise, PlainOrdersAreNoSwizzle) {
  EXPECT_TRUE(recognised(workloads::linear_gemm({.m = 1024, .n = 2048, .k = 64})).plain);
  EXPECT_TRUE(recognised(workloads::gemm({.m = 1024, .n = 2048, .k = 64})).plain);
  EXPECT_EQ(describe(recognised(workloads::gemm({.m = 1024, .n = 2048, .k = 64}))), "");
}

TEST(Recognise, TheGroupedOrderOfManyKernels) {
  // GROUP_SIZE_M = 4 on 8 x 16 tiles, as Triton's tutorial has it.
  const ExistingOrder order = recognised(swizzled_gemm("l = wg % 64; pid = (wg / 64 * 4 + l % 4) * 16 + l / 4"));
  EXPECT_EQ(order.family, "grouped(4)");
  EXPECT_EQ(order.rows, 8);
  EXPECT_EQ(order.columns, 16);
}

TEST(Recognise, TheXcdRemap) {
  EXPECT_EQ(recognised(swizzled_gemm("pid = wg % 8 * 16 + wg / 8")).family, "xcd_balanced");
}

TEST(Recognise, AnOrderOfNoFamilyIsSaidToBeTheKernelsOwn) {
  const ExistingOrder order = recognised(swizzled_gemm("pid = wg * 37 % 128"));
  EXPECT_TRUE(order.known);
  EXPECT_EQ(order.family, "");
  EXPECT_NE(describe(order).find("of the kernel's own"), std::string::npos);
}

TEST(Recognise, NothingIsSaidWhereNoPlaneIsSpanned) {
  EXPECT_FALSE(recognised(workloads::elementwise(64, 1024)).known);
}

}  // namespace
}  // namespace swizzleperf

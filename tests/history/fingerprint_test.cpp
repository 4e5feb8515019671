#include "history/fingerprint.h"

#include <gtest/gtest.h>

#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

Fingerprint of(const Workload& workload) {
  return fingerprint_of(workload, analyse_reuse(workload));
}

Workload gemm(int64_t m, int64_t n) {
  return workloads::gemm({.m = m, .n = n, .k = 128});
}

TEST(Fingerprint, ComesBackFromItsText) {
  const Fingerprint one = of(gemm(1024, 512));
  const auto again = parse_fingerprint(to_text(one));
  ASSERT_TRUE(again);
  EXPECT_EQ(distance(one, *again), 0);
  EXPECT_EQ(to_text(*again), to_text(one));
}

TEST(Fingerprint, IsAnErrorWhereItCannotBeRead) {
  for (const char* text : {"", "{}", "[1]", R"({"grid":[1],"occupancy":1,"arrays":[]})",
                           R"({"grid":[1,1,1],"occupancy":"x","arrays":[]})"})
    EXPECT_FALSE(parse_fingerprint(text)) << text;
}

TEST(Fingerprint, SizesOfAKernelAreNearAndOtherKernelsFar) {
  const Fingerprint one = of(gemm(2048, 2048));
  const double larger = distance(one, of(gemm(4096, 2048)));
  EXPECT_GT(larger, 0.5);
  EXPECT_LT(larger, 4);
  EXPECT_LT(larger, distance(one, of(gemm(4096, 4096))));
  EXPECT_GT(distance(one, of(workloads::transpose(2048, 128))), 6);
  EXPECT_GT(distance(one, of(workloads::elementwise(256, 1024))), 6);
}

TEST(ProblemId, TellsSizesGpusAndOccupanciesApart) {
  const GpuSpec mi300x = load_gpu("mi300x").value();
  const std::string one = problem_id(gemm(1024, 1024), mi300x);
  EXPECT_EQ(problem_id(gemm(1024, 1024), mi300x), one);
  EXPECT_NE(problem_id(gemm(1024, 512), mi300x), one);
  EXPECT_NE(problem_id(gemm(1024, 1024), load_gpu("h200").value()), one);
  Workload other = gemm(1024, 1024);
  other.occupancy += 1;
  EXPECT_NE(problem_id(other, mi300x), one);
}

}  // namespace
}  // namespace swizzleperf

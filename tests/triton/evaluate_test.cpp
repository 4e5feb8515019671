// What single kernels touch, against what their source says.
#include <gmock/gmock.h>

#include "tests/triton/samples.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;

std::string words(const Case& the_case, int64_t tile) {
  const auto workload = workload_of(the_case);
  return workload ? in_words(*workload, tile) : describe(workload.error());
}

TEST(TritonEvaluation, MasksEndWhereTheArrayDoes) {
  for (const char* version : {"3.0", "3.4", "3.8", "3.9"}) {
    const Case the_case = triton_case("copy", sample("copy", version), "[3]",
                                      buffer("x", "fp32", "600") + buffer("y", "fp32", "600") + scalar("n", "600"));
    EXPECT_EQ(words(the_case, 1), "load x 1024+1024; \nstore y 1024+1024; \n") << version;
    EXPECT_EQ(words(the_case, 2), "load x 2048+352; \nstore y 2048+352; \n") << version;
  }
}

TEST(TritonEvaluation, RowsThatAnIndexArrayNamesAreGathered) {
  const Case the_case =
      triton_case("gather_rows", sample("gather_rows"), "[2]",
                  buffer("table", "fp32", "64 * 64") + buffer("indices", "int64", "32", "init = \"iota\"") +
                      buffer("out", "fp32", "32 * 64") + scalar("n", "18") + scalar("width", "64"));
  // Program 1 has rows 16 and 17 left.
  EXPECT_EQ(words(the_case, 1), "load indices 128+16; \nload table 4096+512; \nstore out 4096+512; \n");
}

TEST(TritonEvaluation, LoopsEndWhereTheArgumentDataSays) {
  // Row r of the matrix is [r, r + 1): iota's row pointers.
  const Case the_case = triton_case(
      "csr_rows", sample("csr_rows"), "[4]",
      buffer("starts", "int32", "5", "init = \"iota\"") + buffer("columns", "int32", "8", "init = \"iota\"") +
          buffer("values", "fp32", "8") + buffer("x", "fp32", "8") + buffer("y", "fp32", "4"));
  const std::string text = words(the_case, 3);
  EXPECT_THAT(text, HasSubstr("load starts 12+4; load starts 16+4"));
  EXPECT_THAT(text, HasSubstr("load values 12+4"));
  EXPECT_THAT(text, HasSubstr("load x 12+4"));
  EXPECT_THAT(text, HasSubstr("store y 12+4"));
}

TEST(TritonEvaluation, APersistentKernelsWhileLoopRunsOn) {
  const Case the_case =
      triton_case("persistent", sample("persistent"), "[4]",
                  buffer("x", "fp32", "10 * 128") + buffer("y", "fp32", "10 * 128") + scalar("tiles", "10"));
  EXPECT_EQ(words(the_case, 1),
            "load x 512+512; \nstore y 512+512; \nload x 2560+512; \nstore y 2560+512; \nload x 4608+512; \nstore y "
            "4608+512; \n");
}

TEST(TritonEvaluation, CallsAndEarlyReturnsAreFollowed) {
  for (const char* version : {"3.0", "3.3", "3.6", "3.9"}) {
    const Case the_case =
        triton_case("calls_and_branches", sample("calls_and_branches", version), "[4]",
                    buffer("x", "fp32", "64") + buffer("y", "fp32", "128") + scalar("n", "3") + scalar("flag", "1"));
    EXPECT_EQ(words(the_case, 2), "load x 16+4; load x 24+4; \nstore y 256+128; \n") << version;
    EXPECT_EQ(words(the_case, 1), "load x 8+4; load x 4+4; \nstore y 128+128; \n") << version;
    EXPECT_EQ(words(the_case, 3), "") << version;
  }
}

TEST(TritonEvaluation, BlockPointersAndDescriptorsStayInsideTheirTensor) {
  const std::string arguments =
      buffer("x", "fp16", "40 * 48") + buffer("y", "fp16", "40 * 48") + scalar("rows", "40") + scalar("columns", "48");
  for (const char* version : {"3.4", "3.8", "3.9"}) {
    const Case the_case = triton_case("descriptors", sample("descriptors", version), "[2, 2]", arguments);
    const auto workload = workload_of(the_case);
    ASSERT_TRUE(workload) << describe(workload.error());
    // Tile (1, 1) holds 8 rows of 16 columns.
    const Access& access =
        workload->accesses[static_cast<size_t>(workload->phase_begin[static_cast<size_t>(workload->tile_begin[3])])];
    const auto& segments = workload->patterns[static_cast<size_t>(access.pattern)].segments;
    EXPECT_EQ(access.origin, 32 * 96 + 64);
    ASSERT_EQ(segments.size(), 8U);
    EXPECT_EQ(segments[1].offset, 96);
    EXPECT_EQ(segments[1].bytes, 32);
  }
  const Case by_pointer = triton_case("block_pointers", sample("block_pointers", "3.4"), "[2]", arguments);
  EXPECT_TRUE(workload_of(by_pointer));
}

TEST(TritonEvaluation, ACausalLoopGrowsWithTheBlock) {
  const std::string elements = "2 * 4 * 256 * 64";
  const Case the_case =
      triton_case("attention", sample("attention"), "[4, 4, 2]",
                  buffer("q", "fp16", elements) + buffer("k", "fp16", elements) + buffer("v", "fp16", elements) +
                      buffer("out", "fp16", elements) + scalar("length", "256") + scalar("scale", "1", "fp32") +
                      scalar("heads", "4") + scalar("group", "2"));
  const auto workload = workload_of(the_case);
  ASSERT_TRUE(workload) << describe(workload.error());
  const auto phases = [&](size_t tile) { return workload->tile_begin[tile + 1] - workload->tile_begin[tile]; };
  // The queries, keys and values of (block + 1) * 64 / 32 steps, the output.
  for (size_t block = 0; block < 4; ++block) EXPECT_EQ(phases(block), 2 + 2 * 2 * static_cast<int64_t>(block + 1));
}

TEST(TritonEvaluation, AScanDecidesWhereAStoreGoes) {
  const Case the_case = triton_case("scans_and_shapes", sample("scans_and_shapes"), "[1]",
                                    buffer("x", "int32", "64", "init = { random = { seed = 1, low = 1, high = 1 } }") +
                                        buffer("y", "int32", "65") + buffer("z", "int32", "64"));
  EXPECT_THAT(words(the_case, 0), HasSubstr("store y 4+256;"));
}

TEST(TritonEvaluation, WhatOtherProgramsWriteIsWaitedForOnce) {
  const Case the_case = triton_case(
      "lock_and_add", sample("lock_and_add"), "[2]",
      buffer("x", "fp32", "128") + buffer("y", "fp32", "64") + buffer("lock", "int32", "1") + scalar("n", "64"));
  EXPECT_THAT(words(the_case, 1), HasSubstr("atomic lock 0+4"));
  const auto order = triton_order(*TritonKernel::open(the_case, "main"), *the_case.instance("main"));
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->dependent);
}

TEST(TritonEvaluation, ProgramsThatShareNothingDoNotDependOnTheirOrder) {
  const Case the_case = triton_case("copy", sample("copy"), "[3]",
                                    buffer("x", "fp32", "600") + buffer("y", "fp32", "600") + scalar("n", "600"));
  const auto order = triton_order(*TritonKernel::open(the_case, "main"), *the_case.instance("main"));
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->dependent) << order->detail;
}

TEST(TritonEvaluation, AccessesOutsideAnArrayAreErrorsWithTheirLine) {
  const Case the_case = triton_case("copy", sample("copy"), "[3]",
                                    buffer("x", "fp32", "500") + buffer("y", "fp32", "600") + scalar("n", "600"));
  EXPECT_THAT(words(the_case, 0), testing::AllOf(HasSubstr("out of bounds"), HasSubstr("'x', which has 2000 bytes"),
                                                 HasSubstr("kernels.py:"), HasSubstr("copy.ttir:")));
}

TEST(TritonEvaluation, ArgumentsMustBeWhatTheIrTakes) {
  const Case few = triton_case("copy", sample("copy"), "[3]", buffer("x", "fp32", "600"));
  EXPECT_THAT(words(few, 0), HasSubstr("the case has 1 arguments, 'copy' in the IR takes 3"));
  const Case other =
      triton_case("copy", sample("copy"), "[3]", buffer("x", "fp32", "600") + scalar("y", "1") + scalar("n", "600"));
  EXPECT_THAT(words(other, 0), HasSubstr("argument 'y' is a scalar"));
  const Case named = triton_case("kopy", sample("copy"), "[3]", "");
  EXPECT_THAT(words(named, 0), HasSubstr("no function 'kopy'"));
}

}  // namespace
}  // namespace swizzleperf

#include "rewrite/rewrite.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"

namespace swizzleperf {
namespace {

class Rewrite : public testing::Test {
 protected:
  Rewrite() : folder_(TemporaryFolder::create().value()) {}

  Expected<Rewritten> rewrite(const std::string& source) {
    case_.source = folder_.path() / "k.hip";
    case_.kernel = "k";
    EXPECT_TRUE(write_file_atomic(case_.source, source));
    const auto info = analyse_source(case_);
    if (!info) return tl::unexpected(info.error());
    const auto map = SwizzleExpr::parse("pid = num_wgs - 1 - wg").value();
    return rewrite_kernel(case_, *info, std::get<Swizzle>(prove(map, Grid{8, 1, 1}, {}).value()));
  }

  // The patch turns the original into the rewritten file, as `patch` applies it.
  void expect_patch_applies(const Rewritten& result) {
    ASSERT_TRUE(write_file_atomic(folder_.path() / "p", result.patch));
    const auto run = run_process({"patch", "--binary", "-p1", "-i", "p"}, {}, {}, folder_.path());
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->ok()) << run->out << run->err;
    EXPECT_EQ(read_file(case_.source).value(), result.source);
  }

  TemporaryFolder folder_;
  Case case_;
};

TEST_F(Rewrite, PatchAppliesAndASecondRewriteIsRefused) {
  const auto result = rewrite("__global__ void k(float* a) {\n  a[blockIdx.x] = 1;\n}\n");
  ASSERT_TRUE(result) << describe(result.error());
  expect_patch_applies(*result);
  const auto again = rewrite(result->source);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("already"), std::string::npos);
}

TEST_F(Rewrite, KeepsCarriageReturnsAndAMissingFinalNewline) {
  const auto result = rewrite("__global__ void k(float* a) {\r\n  a[blockIdx.x] = 1;\r\n}");
  ASSERT_TRUE(result) << describe(result.error());
  for (size_t at = result->source.find('\n'); at != std::string::npos; at = result->source.find('\n', at + 1))
    EXPECT_EQ(result->source[at - 1], '\r');
  expect_patch_applies(*result);
}

TEST_F(Rewrite, CodeOnTheBracesLineStaysOutsideTheComment) {
  const auto result = rewrite("__global__ void k(float* a) { a[blockIdx.x] = 1; }\n");
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_NE(result->source.find("\n a[blockIdx.x] = 1; }"), std::string::npos) << result->source;
}

TEST_F(Rewrite, CoversMacrosAliasesAndTemplates) {
  const auto result = rewrite(
      "#define BID blockIdx.x\ntemplate <class T>\n__global__ void k(T* a) {\n  const auto& b = blockIdx;\n"
      "  a[BID + b.y] = 1;\n}\n");
  ASSERT_TRUE(result) << describe(result.error());
}

TEST_F(Rewrite, ReplacesHipNamesInTheKernel) {
  const auto result = rewrite("__global__ void k(float* a) {\n  a[hipBlockIdx_x] = 1;\n}\n");
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_NE(result->source.find("a[blockIdx.x] = 1"), std::string::npos);
}

TEST_F(Rewrite, RefusesWhatItCannotCover) {
  const std::pair<const char*, const char*> cases[] = {
      {"__device__ int id() { return blockIdx.x; }\n__global__ void k(float* a) { a[id()] = 1; }\n", "`id`"},
      {"template <class T> __device__ int id(T) { return blockIdx.x; }\n"
       "template <class T> __global__ void k(T* a) { a[id(a)] = 1; }\n",
       "`id`"},
      {"__device__ int inner() { return blockIdx.x; }\n__device__ int id() { return inner(); }\n"
       "__global__ void k(float* a) { a[id()] = 1; }\n",
       "`inner`"},
      {"struct S { int i; S() : i(blockIdx.x) {} };\n__global__ void k(float* a) { S s; a[s.i] = 1; }\n", "`S`"},
      {"__global__ void k(float* a) { a[::blockIdx.x] = 1; }\n", "::blockIdx"},
      {"#define BID ::blockIdx.x\n__global__ void k(float* a) { a[BID] = 1; }\n", "would remain"},
      {"__global__ void k(float* a, int blockIdx) { a[blockIdx] = 1; }\n", "parameter is named"},
      {"__global__ void k(float* a) { int blockIdx = 1; a[blockIdx] = 1; }\n", "redefinition"},
      {"#define BID hipBlockIdx_x\n__global__ void k(float* a) { a[BID] = 1; }\n", "hipBlockIdx_x"},
      {"__global__ void k(float* a) { int i; asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(i)); a[i] = 1; }\n", "ctaid"},
  };
  for (const auto& [source, reason] : cases) {
    const auto result = rewrite(source);
    ASSERT_FALSE(result) << source;
    EXPECT_NE(result.error().message.find(reason), std::string::npos) << source << describe(result.error());
  }
}

}  // namespace
}  // namespace swizzleperf

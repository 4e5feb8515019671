// What is rewritten and how the file around it is kept.
#include "rewrite/rewrite.h"

#include "tests/rewrite/rewriting.h"

namespace swizzleperf {
namespace {

using Rewrite = Rewriting;

const std::string kPlain = "__global__ void k(float* a) {\n  a[blockIdx.x] = 1;\n}\n";

TEST_F(Rewrite, PatchAppliesAndASecondRewriteIsRefused) {
  const auto result = rewrite(kPlain);
  ASSERT_TRUE(result) << describe(result.error());
  expect_patch_applies(*result);
  const auto again = rewrite(result->source);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().blame, Blame::kUser);
  EXPECT_NE(again.error().message.find("already"), std::string::npos);
}

TEST_F(Rewrite, ThePatchOnlyAddsLines) {
  const auto result = rewrite(kPlain);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->patch.find("\n-"), std::string::npos) << result->patch;
}

TEST_F(Rewrite, ThePatchAppliesFromTheFolderOfTheCase) {
  for (const std::string name : {"src/deep/k.hip", "my kernel.hip", "quo\"te.hip", "back\\slash.hip", "\xC3\xA9.hip"}) {
    place(name);
    const auto result = rewrite(kPlain);
    ASSERT_TRUE(result) << describe(result.error());
    expect_patch_applies(*result);
  }
}

TEST_F(Rewrite, APatchInsideAGitRepositoryAppliesFromASubfolder) {
  place("sub/k.hip");
  case_.file = folder_.path() / "sub" / "case.toml";
  ASSERT_TRUE(run_process({"git", "init", "-q"}, {}, {}, folder_.path())->ok());
  const auto result = rewrite(kPlain);
  ASSERT_TRUE(result) << describe(result.error());
  expect_patch_applies(*result, {"git", "apply"}, folder_.path() / "sub");
}

TEST_F(Rewrite, ASourceOutsideTheCasesFolderIsNamedBarely) {
  place("elsewhere/k.hip");
  case_.file = folder_.path() / "cases" / "case.toml";
  const auto result = rewrite(kPlain);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->patch.rfind("--- a/k.hip\n", 0), 0U);
  expect_patch_applies(*result, {"patch", "--binary", "-p1", "-i"}, folder_.path() / "elsewhere");
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
  expect_patch_applies(*result);
}

TEST_F(Rewrite, DistantChangesAreHunksOfTheirOwn) {
  std::string filler;
  for (int i = 0; i < 40; ++i) filler += "  a[1] += 1;\n";
  const auto result = rewrite("__global__ void k(float* a) {\n" + filler + "  a[hipBlockIdx_x] = 1;\n" + filler +
                              "  a[hipBlockIdx_x + 1] = 2;\n}\n");
  ASSERT_TRUE(result) << describe(result.error());
  size_t hunks = 0;
  for (size_t at = result->patch.find("@@ -"); at != std::string::npos; at = result->patch.find("@@ -", at + 1))
    ++hunks;
  EXPECT_EQ(hunks, 3U) << result->patch;
  expect_patch_applies(*result);
}

TEST_F(Rewrite, CoversMacrosAliasesAndTemplates) {
  const auto result = rewrite(
      "#define BID blockIdx.x\ntemplate <class T>\n__global__ void k(T* a) {\n  const auto& b = blockIdx;\n"
      "  a[BID + b.y] = 1;\n}\n");
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(remaps(*result), 1U);
}

TEST_F(Rewrite, ReplacesTheOtherNamesInTheKernel) {
  for (const std::string axis : {"x", "y", "z"}) {
    for (const std::string& name : {"hipBlockIdx_" + axis, "__builtin_amdgcn_workgroup_id_" + axis + "()"}) {
      const auto result = rewrite("__global__ void k(float* a) {\n  a[" + name + "] = 1;\n}\n");
      ASSERT_TRUE(result) << name << describe(result.error());
      EXPECT_NE(result->source.find("a[blockIdx." + axis + "] = 1"), std::string::npos) << result->source;
      EXPECT_EQ(result->source.find(name), std::string::npos);
      expect_patch_applies(*result);
    }
  }
}

TEST_F(Rewrite, CommentsAndStringsThatNameTheBlockIdAreLeftAlone) {
  const std::string text =
      "// hipBlockIdx_x /* ctaid */\n__global__ void k(float* a) {\n  /* hipBlockIdx_x { */\n  const char* s = "
      "R\"x({ } blockIdx \" )x\";\n  a[blockIdx.x] = s[0];\n}\n";
  const auto result = rewrite(text);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(undo_edits(result->source, result->edits).value(), text);
  EXPECT_EQ(result->edits.size(), 1U);
}

TEST_F(Rewrite, TheBodyIsFoundBehindBracesInTheParameters) {
  const auto result = rewrite(
      "struct P { int a = 1; };\n__global__ void k(float* a, P p = P{2}, int n = [] { return 3; }()) {\n"
      "  a[blockIdx.x] = p.a + n;\n}\n");
  ASSERT_TRUE(result) << describe(result.error());
  const size_t body = result->source.find(") {\n  // swizzleperf: ");
  EXPECT_NE(body, std::string::npos) << result->source;
}

TEST_F(Rewrite, OtherKernelsOfTheFileStayAsTheyAre) {
  const std::string other = "__global__ void other(float* a) {\n  a[blockIdx.x + hipBlockIdx_y] = 2;\n}\n";
  const auto result = rewrite(other + kPlain + "__global__ void kk(float* a) { a[::blockIdx.x] = 2; }\n");
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->source.rfind(other, 0), 0U);
  EXPECT_EQ(remaps(*result), 1U);
}

TEST_F(Rewrite, CudaSourcesAndEveryNumberOfAxes) {
  place("k.cu");
  case_.dialect = Dialect::kCuda;
  const std::string source =
      "#include <cuda_runtime.h>\n__global__ void k(float* a) {\n"
      "  a[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = 1;\n}\n";
  for (const Grid& grid : {Grid{30, 1, 1}, Grid{6, 5, 1}, Grid{2, 3, 5}}) {
    const auto result = rewrite(source, grid);
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_NE(result->source.find("const dim3 blockIdx(sp_pid_x, sp_pid_y, sp_pid_z);"), std::string::npos);
    expect_patch_applies(*result);
  }
}

TEST_F(Rewrite, UnguardedMapsAndFurtherGuardedGrids) {
  const auto unguarded = rewrite(kPlain, {8, 1, 1}, {.guarded = false});
  ASSERT_TRUE(unguarded) << describe(unguarded.error());
  EXPECT_EQ(unguarded->source.find("gridDim.x == 8u"), std::string::npos);
  const auto guarded = rewrite(kPlain, {8, 1, 1}, {.guard_grids = {{9, 1, 1}}});
  ASSERT_TRUE(guarded) << describe(guarded.error());
  EXPECT_NE(guarded->source.find("gridDim.x == 9u"), std::string::npos);
}

TEST_F(Rewrite, AParameterOrAVariableNamedBlockIdxIsRefused) {
  expect_refused("__global__ void k(float* a, int blockIdx) { a[blockIdx] = 1; }\n", "parameter is named");
  expect_refused("__global__ void k(float* a) { int blockIdx = 1; a[blockIdx] = 1; }\n", "redefinition");
}

TEST_F(Rewrite, ABodyOutOfAMacroIsRefused) {
  expect_refused("#define BODY { a[blockIdx.x] = 1; }\n__global__ void k(float* a) BODY\n", "macro");
}

}  // namespace
}  // namespace swizzleperf

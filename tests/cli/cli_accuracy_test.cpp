// The verb `accuracy` on the validation data of the project, and on broken folders.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

TEST(AccuracyVerb, PredictsTheRowsOfAKernelAndListsWhatIsLeftOut) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::string csv = (folder->path() / "rows.csv").string();
  const auto result = run_program({"accuracy", source_path("validation/mi300x"), "--case", "fused_elementwise.aug",
                                   "--case", "molecular_dynamics.jul", "--csv", csv});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("| fused_elementwise.aug | baseline | 20.2 |  | 20.2 |"));
  EXPECT_THAT(result.out, HasSubstr("accesses not described"));
  EXPECT_THAT(read_file(csv).value(), HasSubstr("MI300X,fused_elementwise.aug,fused_elementwise.aug.m02,true,true"));
}

TEST(AccuracyVerb, BrokenFoldersAndReportsAreErrorsWithTheirPlace) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto gpu = folder->path() / "h200";
  std::filesystem::create_directory(gpu);
  const auto error = [&](const std::string& measured, const std::string& core) {
    EXPECT_TRUE(write_file_atomic(gpu / "measured.csv", measured));
    EXPECT_TRUE(write_file_atomic(gpu / "maps.csv", "id,map\nrow,\"pid = wg\"\n"));
    EXPECT_TRUE(write_file_atomic(gpu / "core.txt", core));
    const auto result = run_program({"accuracy", gpu.string()});
    EXPECT_EQ(result.exit_status, 2);
    return result.err;
  };
  EXPECT_THAT(error("kernel,order,dram_read_bytes\nk,row\n", ""),
              HasSubstr("measured.csv:2: error: 2 cells instead of 3"));
  EXPECT_THAT(error("kernel,order,dram_read_bytes\nk,row,x\n", ""), HasSubstr("'x' in the column 'dram_read_bytes'"));
  EXPECT_THAT(error("kernel,bytes\nk,1\n", ""), HasSubstr("the column 'config' is missing"));
  EXPECT_THAT(error("kernel,order,dram_read_bytes\nk,row,1\n", "k col\n"),
              HasSubstr("the core row 'k col' was not measured"));
  EXPECT_EQ(run_program({"accuracy", (folder->path() / "none").string()}).exit_status, 2);
  const auto marks = run_program({"accuracy", source_path("validation/mi300x"), "--case", "fused_elementwise.jul",
                                  "--report", (gpu / "core.txt").string()});
  EXPECT_EQ(marks.exit_status, 2);
  EXPECT_THAT(marks.err, HasSubstr("lacks the marks"));
}

}  // namespace
}  // namespace swizzleperf

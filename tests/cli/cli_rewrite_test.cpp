// `rewrite`: a map of one's own into a kernel, as a patch and in place.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> rewrite(const CaseFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> command = {
      "rewrite", folder.path("elementwise.toml").string(), "--gpu", "mi300x", "--map", "pid = num_wgs - 1 - wg"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(Rewrite, ThePatchGoesToStdoutAndTheGateToStderr) {
  const CaseFolder folder("elementwise");
  const std::string before = folder.read("elementwise.hip");
  const auto result = run_program(rewrite(folder, {}));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out.rfind("--- a/elementwise.hip\n+++ b/elementwise.hip\n", 0), 0U);
  EXPECT_THAT(result.err, HasSubstr("Gate (proven)"));
  EXPECT_EQ(folder.read("elementwise.hip"), before);
}

TEST(Rewrite, APatchFileAppliesInTheCasesFolderAndASecondRewriteIsRefused) {
  const CaseFolder folder("elementwise");
  std::filesystem::create_directories(folder.path("src"));
  std::filesystem::rename(folder.path("elementwise.hip"), folder.path("src/elementwise.hip"));
  std::string text = folder.read("elementwise.toml");
  text.replace(text.find("source = \""), 10, "source = \"src/");
  folder.write("elementwise.toml", text);
  const std::string patch = folder.path("out.patch").string();
  const auto result = run_program(rewrite(folder, {"--patch", patch}));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(result.out.empty());
  const auto applied = run_process({"git", "apply", patch}, {}, {}, folder.path(""));
  ASSERT_TRUE(applied && applied->ok()) << applied->err;
  EXPECT_THAT(folder.read("src/elementwise.hip"), HasSubstr("// swizzleperf: "));
  const std::string after = folder.read("src/elementwise.hip");
  const auto again = run_program(rewrite(folder, {"--in-place"}));
  EXPECT_EQ(again.exit_status, 2);
  EXPECT_THAT(again.err, HasSubstr("already carries a remap"));
  EXPECT_EQ(folder.read("src/elementwise.hip"), after);
  EXPECT_FALSE(std::filesystem::exists(folder.path("src/elementwise.hip.orig")));
}

// A verb that opens its case like the others: one size of the case in place of the variant's, and its complaints.
TEST(Rewrite, TakesASizeOfTheCase) {
  const CaseFolder folder("elementwise");
  const auto result = run_program(rewrite(folder, {"--size", "n=1000000"}));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("977"));
  EXPECT_THAT(result.err, HasSubstr("Gate (proven)"));
  const auto unknown = run_program(rewrite(folder, {"--size", "Q=1"}));
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no size 'Q'"));
}

TEST(Rewrite, InPlaceKeepsABackupAndItsPermissions) {
  const CaseFolder folder("elementwise");
  const std::string before = folder.read("elementwise.hip");
  const auto mode =
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_write | std::filesystem::perms::group_read;
  std::filesystem::permissions(folder.path("elementwise.hip"), mode);
  const size_t files = folder.file_count();
  const auto result = run_program(rewrite(folder, {"--in-place"}));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(result.out.empty()) << result.out;
  EXPECT_EQ(folder.read("elementwise.hip.orig"), before);
  EXPECT_EQ(std::filesystem::status(folder.path("elementwise.hip")).permissions(), mode);
  EXPECT_EQ(folder.file_count(), files + 1);
  // Taken back, the original is there again; the backup is never overwritten.
  folder.write("elementwise.hip", before);
  const auto again = run_program(rewrite(folder, {"--in-place"}));
  EXPECT_EQ(again.exit_status, 2);
  EXPECT_THAT(again.err, HasSubstr("backup exists already"));
  EXPECT_EQ(folder.read("elementwise.hip"), before);
}

TEST(Rewrite, AKernelWhoseOrderShowsIsNotTouched) {
  const CaseFolder folder("elementwise");
  std::string text = folder.read("elementwise.hip");
  text.replace(text.find("out[at] ="), 9, "out[at / 2048] =");
  folder.write("elementwise.hip", text);
  const auto refused = run_program(rewrite(folder, {"--in-place"}));
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err, HasSubstr("writes what others touch"));
  EXPECT_THAT(refused.err, HasSubstr("nothing was written"));
  EXPECT_EQ(folder.read("elementwise.hip"), text);
}

TEST(Rewrite, MapsThatAreWrongAreNeverWritten) {
  const CaseFolder folder("elementwise");
  const size_t files = folder.file_count();
  for (const std::string map : {"pid = wg / 2", "pid = wg +", "pid = wg / (num_xcds - 8)", "pid = unknown", "q = 1",
                                "pid = wg * 9223372036854775807", "pid = 99999999999999999999", "pid = wg + 1"}) {
    const auto result = run_program({"rewrite", folder.path("elementwise.toml").string(), "--gpu", "mi300x", "--map",
                                     map, "--in-place", "--patch", folder.path("p").string()});
    EXPECT_EQ(result.exit_status, 2) << map;
    EXPECT_THAT(result.err, HasSubstr("--map")) << map;
    EXPECT_THAT(result.err, Not(HasSubstr("internal"))) << map;
  }
  EXPECT_EQ(folder.file_count(), files);
}

}  // namespace
}  // namespace swizzleperf

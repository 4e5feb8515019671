// Ctrl-C in the middle of the work: exit code 130, one message, nothing left behind.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

size_t entries(const std::filesystem::path& folder) {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

// `verb` on a kernel that runs for hours, interrupted once it runs.
void expect_interrupted(const std::vector<std::string>& verb) {
  const CaseFolder folder("elementwise");
  const auto temporary = TemporaryFolder::create();
  ASSERT_TRUE(temporary);
  std::string text = folder.read("elementwise.hip");
  text.replace(text.find("  for (int i"), 12,
               "  for (long n = 0; n < (1l << 60); ++n) out[0] = x[n % 2];\n  for (int i");
  folder.write("elementwise.hip", text);
  const size_t files = folder.file_count();
  std::vector<std::string> command = {"env",     "TMPDIR=" + temporary->path().string(),
                                      "timeout", "--preserve-status",
                                      "-s",      "INT",
                                      "4",       SWIZZLEPERF_PROGRAM};
  command.insert(command.end(), verb.begin(), verb.end());
  command.insert(command.end(), {folder.path("elementwise.toml").string(), "--gpu", "mi300x"});
  const auto result = run_process(command, {.wall = std::chrono::minutes(2)});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_status, 130) << result->err;
  EXPECT_THAT(result->err, HasSubstr("interrupted: nothing was written"));
  EXPECT_TRUE(result->out.empty());
  EXPECT_EQ(entries(temporary->path()), 0U) << "temporary files are left";
  EXPECT_EQ(folder.file_count(), files);
  EXPECT_EQ(folder.read("elementwise.hip"), text);
}

TEST(Interrupt, OptimizeInPlace) {
  expect_interrupted({"optimize", "--in-place"});
}

TEST(Interrupt, Rewrite) {
  expect_interrupted({"rewrite", "--in-place", "--map", "pid = num_wgs - 1 - wg"});
}

TEST(Interrupt, Analyze) {
  expect_interrupted({"analyze"});
}

}  // namespace
}  // namespace swizzleperf

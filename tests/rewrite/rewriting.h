// A kernel in a folder of its own, analysed and rewritten with the reversed order.
#pragma once

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"
#include "rewrite/rewrite.h"

namespace swizzleperf {

class Rewriting : public testing::Test {
 protected:
  Rewriting() : folder_(TemporaryFolder::create().value()) { place("k.hip"); }

  // Where the source lies, relative to the case's folder.
  void place(const std::string& name) {
    case_.file = folder_.path() / "case.toml";
    case_.source = (folder_.path() / name).lexically_normal();
    case_.kernel = "k";
    std::filesystem::create_directories(case_.source.parent_path());
  }

  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file_atomic(folder_.path() / name, text));
  }

  Expected<KernelInfo> analyse(const std::string& source) const {
    EXPECT_TRUE(write_file_atomic(case_.source, source));
    return analyse_source(case_);
  }

  Expected<Rewritten> rewrite(const std::string& source, const Grid& grid = {8, 1, 1},
                              const RewriteOptions& options = {}, const std::string& map = "pid = num_wgs - 1 - wg") {
    const auto info = analyse(source);
    if (!info) return tl::unexpected(info.error());
    const auto expr = SwizzleExpr::parse(map).value();
    return rewrite_kernel(case_, *info, std::get<Swizzle>(prove(expr, grid, {}).value()), options);
  }

  // Refused, with a message that says `reason`.
  void expect_refused(const std::string& source, const std::string& reason) {
    const auto result = rewrite(source);
    ASSERT_FALSE(result) << source << result->patch;
    EXPECT_NE(describe(result.error()).find(reason), std::string::npos) << source << describe(result.error());
  }

  // Every line from '+' lines only: the patch turns the original into the rewritten file, as the tools apply it.
  void expect_patch_applies(const Rewritten& result, const std::vector<std::string>& tool,
                            const std::filesystem::path& where) {
    const std::string patch = (folder_.path() / "p.patch").string();
    ASSERT_TRUE(write_file_atomic(patch, result.patch));
    std::vector<std::string> command = tool;
    command.push_back(patch);
    const std::string before = read_file(case_.source).value();
    const auto run = run_process(command, {}, {}, where);
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->ok()) << run->out << run->err << result.patch;
    EXPECT_EQ(read_file(case_.source).value(), result.source);
    ASSERT_TRUE(write_file_atomic(case_.source, before));
  }
  void expect_patch_applies(const Rewritten& result) {
    expect_patch_applies(result, {"patch", "--binary", "-p1", "-i"}, folder_.path());
    expect_patch_applies(result, {"git", "apply"}, folder_.path());
  }

  // How many bodies got a remap.
  static size_t remaps(const Rewritten& result) {
    size_t count = 0;
    for (const Edit& edit : result.edits) count += edit.before.empty() ? 1 : 0;
    return count;
  }

  TemporaryFolder folder_;
  Case case_;
};

}  // namespace swizzleperf

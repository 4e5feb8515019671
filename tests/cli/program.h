// Runs the built program as a user would, and checks what holds for every run.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/process.h"

namespace swizzleperf {

// Runs of tests neither record in the user's history nor depend on it, unless a test names a file.
inline const int kNoHistory = ::setenv("SWIZZLEPERF_HISTORY", "none", 1);

inline ProcessResult run_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SWIZZLEPERF_PROGRAM);
  auto result = run_process(arguments, {.wall = std::chrono::minutes(5)});
  EXPECT_TRUE(result) << "the program did not start";
  if (!result) return {};
  EXPECT_EQ(result->signal, 0) << "crashed: " << result->err;
  EXPECT_FALSE(result->timed_out);
  return *result;
}

inline std::string source_path(const std::string& relative) {
  return std::string(SWIZZLEPERF_SOURCE_DIR) + "/" + relative;
}

// A copy of an example folder that a test may change.
class CaseFolder {
 public:
  explicit CaseFolder(const std::string& example) : folder_(TemporaryFolder::create()) {
    std::filesystem::copy(source_path("examples/" + example), path(""), std::filesystem::copy_options::recursive);
  }
  std::filesystem::path path(const std::string& name) const { return folder_->path() / name; }
  std::string read(const std::string& name) const { return read_file(path(name)).value(); }
  void write(const std::string& name, const std::string& content) const {
    ASSERT_TRUE(write_file_atomic(path(name), content));
  }
  size_t file_count() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_->path()), std::filesystem::directory_iterator()));
  }

 private:
  Expected<TemporaryFolder> folder_;
};

}  // namespace swizzleperf

#include "base/file.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;

TEST(File, WritesAndReadsBack) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::string content("a\0b\r\n", 5);
  ASSERT_TRUE(write_file_atomic(folder->path() / "f", content));
  EXPECT_EQ(read_file(folder->path() / "f").value(), content);
}

TEST(File, ReplacingKeepsPermissionsAndLeavesNothingBehind) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "f";
  ASSERT_TRUE(write_file_atomic(file, "old"));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
  ASSERT_TRUE(write_file_atomic(file, "new"));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder->path()), fs::directory_iterator()), 1);
}

TEST(File, AFailedWriteIsAUserErrorWithThePath) {
  const auto written = write_file_atomic("/no/such/folder/f", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().blame, Blame::kUser);
  EXPECT_EQ(written.error().place.file, "/no/such/folder/f");
}

TEST(File, MissingFoldersAndLargeFilesAreRefused) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  EXPECT_FALSE(read_file(folder->path() / "absent"));
  EXPECT_FALSE(read_file(folder->path()));
  ASSERT_TRUE(write_file_atomic(folder->path() / "f", "12345"));
  EXPECT_FALSE(read_file(folder->path() / "f", 4));
}

TEST(File, TemporaryFolderDisappears) {
  fs::path path;
  {
    const auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder);
    path = folder->path();
    ASSERT_TRUE(write_file_atomic(path / "f", "x"));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace swizzleperf

#include "workload/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;

// A .npy file as NumPy writes it.
std::string npy(const std::string& descr, bool fortran, const std::string& shape, const std::string& data,
                int version = 1) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  const size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  if (version > 1) text += std::string(2, '\0');
  return text + header + data;
}

class Npy : public testing::Test {
 protected:
  // The error of check_npy on a file with this content; empty where it is accepted.
  std::string refusal(const std::string& content, const std::string& dtype, const std::vector<int64_t>& shape) {
    EXPECT_TRUE(write_file_atomic(file_, content));
    const auto status = check_npy(file_, dtype, shape);
    if (status) return {};
    EXPECT_EQ(status.error().blame, Blame::kUser);
    EXPECT_EQ(status.error().place.file, file_.string());
    return status.error().message;
  }
  TemporaryFolder folder_ = std::move(TemporaryFolder::create().value());
  std::filesystem::path file_ = folder_.path() / "a.npy";
};

TEST_F(Npy, EveryVersionGivesItsData) {
  const std::string data(24, 'x');
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(refusal(npy("<f4", false, "(2, 3)", data, version), "fp32", {2, 3}), "");
    EXPECT_EQ(read_npy_data(file_).value(), data);
  }
  EXPECT_EQ(refusal(npy("<f4", false, "(6,)", data), "fp32", {6}), "");
  EXPECT_EQ(refusal(npy("<u2", false, "(12,)", data), "bf16", {12}), "");
  EXPECT_EQ(refusal(npy("|i1", false, "(24,)", data), "int8", {24}), "");
}

TEST_F(Npy, OnlyTheHeaderOfALargeFileIsRead) {
  EXPECT_TRUE(write_file_atomic(file_, npy("<f4", false, "(1073741824,)", "")));
  const auto header = std::filesystem::file_size(file_);
  std::filesystem::resize_file(file_, header + (uintmax_t{4} << 30));  // a hole: takes no space
  EXPECT_TRUE(check_npy(file_, "fp32", {1 << 30}));
  std::filesystem::resize_file(file_, header + (uintmax_t{4} << 30) - 1);
  EXPECT_FALSE(check_npy(file_, "fp32", {1 << 30}));
}

TEST_F(Npy, WrongTypeShapeAndOrderAreRefused) {
  const std::string data(24, 'x');
  EXPECT_THAT(refusal(npy("<f8", false, "(3,)", data), "fp32", {3}), HasSubstr("'<f8'"));
  EXPECT_THAT(refusal(npy(">f4", false, "(6,)", data), "fp32", {6}), HasSubstr("'>f4'"));
  EXPECT_THAT(refusal(npy("<f4", false, "(3, 2)", data), "fp32", {2, 3}), HasSubstr("(3,2)"));
  EXPECT_THAT(refusal(npy("<f4", true, "(2, 3)", data), "fp32", {2, 3}), HasSubstr("Fortran"));
}

TEST_F(Npy, WhatIsNoNpyFileIsRefused) {
  const std::string whole = npy("<f4", false, "(6,)", std::string(24, 'x'));
  for (size_t length = 0; length + 24 < whole.size(); ++length)
    EXPECT_NE(refusal(whole.substr(0, length), "fp32", {6}), "") << length;
  EXPECT_NE(refusal(std::string(100, '\xFF'), "fp32", {6}), "");
  const auto absent = check_npy(folder_.path() / "absent.npy", "fp32", {6});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().blame, Blame::kUser);
}

TEST_F(Npy, AFileCutShortIsRefused) {
  EXPECT_NE(refusal(npy("<f4", false, "(6,)", std::string(20, 'x')), "fp32", {6}), "");
  EXPECT_NE(refusal(npy("<f4", false, "(6,)", ""), "fp32", {6}), "");
}

}  // namespace
}  // namespace swizzleperf

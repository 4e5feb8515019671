#include "base/nearest.h"

#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

TEST(Nearest, DistancesCountSlips) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("tolerance", "tolerence"), 1);
  EXPECT_EQ(edit_distance("shape", "shpae"), 1);  // a swap is one slip
  EXPECT_EQ(edit_distance("MI300X", "mi300x"), 0);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, OnlyNearNamesAreOffered) {
  const std::vector<std::string> known = {"MI300X", "MI300A", "H100", "H200"};
  EXPECT_EQ(nearest_name("mi300", known), "MI300X");
  EXPECT_EQ(nearest_name("h20", known), "H200");
  EXPECT_EQ(nearest_name("radeon", known), "");
  EXPECT_EQ(nearest_name("", {"k"}), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), known), "");
}

TEST(Nearest, AdviceListsEverything) {
  EXPECT_EQ(known_names("sed", {"seed", "low"}), "did you mean 'seed'? known: seed, low");
  EXPECT_EQ(known_names("zzz", {"seed", "low"}, "fields"), "fields: seed, low");
}

}  // namespace
}  // namespace swizzleperf

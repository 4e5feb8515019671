#include "base/error.h"

#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

TEST(Error, NamesPlaceBlameAndAdvice) {
  const Expected<int> error = user_error("no such field", {"case.toml", 3, 7}, "remove it");
  EXPECT_EQ(describe(error.error()), "case.toml:3:7: error: no such field\n  remove it");
}

TEST(Error, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(describe(Error{Blame::kUnsupported, "grid sync"}), "unsupported: grid sync");
  EXPECT_EQ(describe(Error{Blame::kUser, "bad", {"", 2, 0}}), "line 2: error: bad");
}

TEST(Error, BlameDecidesTheExitCode) {
  EXPECT_EQ(exit_code({Blame::kUser, ""}), 2);
  EXPECT_EQ(exit_code({Blame::kUnsupported, ""}), 2);
  EXPECT_EQ(exit_code({Blame::kMissing, ""}), 3);
  EXPECT_EQ(exit_code({Blame::kInternal, ""}), 4);
}

}  // namespace
}  // namespace swizzleperf

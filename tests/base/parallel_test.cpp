#include "base/parallel.h"

#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

TEST(Parallel, DoesEachPieceOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5, 40}) {
    std::vector<int> done(17, 0);
    parallel_for(done.size(), threads, [&](size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(17, 1)) << threads;
  }
}

TEST(Parallel, NothingToDoIsDone) {
  parallel_for(0, 4, [](size_t) { FAIL(); });
}

}  // namespace
}  // namespace swizzleperf

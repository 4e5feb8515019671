// The kernels of the line cache against a list of tags, and against each other.
#include "model/line_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace swizzleperf {
namespace {

struct Miss {
  uint32_t at = 0;
  LineCode victim;
  bool operator==(const Miss&) const = default;
};

std::vector<Miss> use(LineCache& cache, const std::vector<LineCode>& codes) {
  std::vector<uint32_t> missed(codes.size());
  std::vector<LineCode> victims(codes.size());
  const size_t misses = cache.access(codes.data(), codes.size(), missed.data(), victims.data());
  std::vector<Miss> result;
  for (size_t m = 0; m < misses; ++m) result.push_back({missed[m], victims[m]});
  return result;
}

// Each set a list, newest first.
std::vector<Miss> use_lists(std::vector<std::vector<uint16_t>>& sets, const std::vector<LineCode>& codes) {
  std::vector<Miss> result;
  for (uint32_t i = 0; i < codes.size(); ++i) {
    auto& set = sets[codes[i].set()];
    const auto found = std::find(set.begin(), set.end(), codes[i].tag());
    if (found != set.end()) {
      set.erase(found);
    } else {
      const bool full = set.size() == LineCache::kWays;
      result.push_back({i, LineCode(codes[i].set(), full ? set.back() : LineCache::kNoTag)});
      if (full) set.pop_back();
    }
    set.insert(set.begin(), codes[i].tag());
  }
  return result;
}

RC_GTEST_PROP(LineCache, EveryKernelIsALeastRecentlyUsedList, ()) {
  constexpr size_t kSets = 3;
  LineCache portable(kSets, LineKernel::kPortable), best(kSets, LineKernel::kBest);
  LineCache counting_portable(kSets, LineKernel::kPortable), counting_best(kSets, LineKernel::kBest);
  std::vector<std::vector<uint16_t>> lists(kSets);
  const auto tags = *rc::gen::inRange<uint32_t>(1, 40);
  for (int batch = 0; batch < 4; ++batch) {
    const auto numbers = *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, kSets * tags));
    std::vector<LineCode> codes;
    for (const uint32_t n : numbers) codes.emplace_back(n % kSets, n / kSets);
    const auto expected = use_lists(lists, codes);
    RC_ASSERT(use(portable, codes) == expected);
    RC_ASSERT(use(best, codes) == expected);
    RC_ASSERT(counting_portable.count_misses(codes.data(), codes.size()) == expected.size());
    RC_ASSERT(counting_best.count_misses(codes.data(), codes.size()) == expected.size());
  }
}

TEST(LineCache, TagsAndSetsMayBeAsLargeAsTheirBits) {
  LineCache cache(LineCache::kMaxSets);
  const LineCode last(LineCache::kMaxSets - 1, LineCache::kNoTag - 1);
  EXPECT_EQ(use(cache, {last, last, LineCode(0, 0)}).size(), 2U);
  EXPECT_TRUE(use(cache, {last}).empty());
}

}  // namespace
}  // namespace swizzleperf

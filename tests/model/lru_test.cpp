#include "model/lru.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <list>

namespace swizzleperf {
namespace {

// The obvious list: newest first.
struct SlowLru {
  int64_t capacity;
  std::list<std::pair<int32_t, int32_t>> entries = {};
  bool access(int32_t object, int32_t size) {
    if (size > capacity) return false;
    for (auto it = entries.begin(); it != entries.end(); ++it) {
      if (it->first != object) continue;
      entries.splice(entries.begin(), entries, it);
      return true;
    }
    entries.emplace_front(object, size);
    int64_t used = 0;
    for (auto it = entries.begin(); it != entries.end();) {
      used += it->second;
      it = used > capacity ? entries.erase(it) : std::next(it);
    }
    return false;
  }
};

TEST(SmallLru, EqualsTheObviousListOnAnySequence) {
  EXPECT_TRUE(rc::check([] {
    const auto capacity = *rc::gen::inRange<int64_t>(1, 64);
    SmallLru fast(capacity);
    SlowLru slow{capacity};
    const auto sequence = *rc::gen::container<std::vector<int32_t>>(rc::gen::inRange(0, 100));
    for (int round = 0; round < 4; ++round) {
      for (const int32_t object : sequence) {
        const int32_t size = 1 + object % 7;
        RC_ASSERT(fast.access(object, size) == slow.access(object, size));
      }
    }
  }));
}

TEST(LruLists, EvictsTheOldestOfTheListUntilTheNewOneFits) {
  LruLists lists(4, 2, 10);
  const std::vector<int32_t> sizes = {4, 4, 4, 20};
  std::vector<int32_t> gone;
  const auto evict = [&](int32_t object, bool) { gone.push_back(object); };
  lists.insert(0, 0, sizes, 0, evict);
  lists.insert(1, 0, sizes, 1, evict);
  lists.touch(0, 0);
  lists.insert(2, 0, sizes, 0, evict);
  EXPECT_EQ(gone, std::vector<int32_t>{1});
  EXPECT_TRUE(lists.contains(0));
  lists.insert(3, 1, sizes, 0, evict);
  EXPECT_FALSE(lists.contains(3)) << "larger than the list: leaves at once";
}

}  // namespace
}  // namespace swizzleperf

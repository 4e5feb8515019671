// Least-recently-used caches of objects with sizes.
//
// Both caches keep their order as a log: a use appends the object, and only its newest entry counts. That costs one
// random access a use, where a linked list costs three; on a stencil of 65,536 tiles it halves the time of an order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace swizzleperf {

// One cache of several independent lists over the objects 0 .. n-1. Invariants: an object is on at most one list;
// used is the sum of the sizes on a list and, after every insert, at most the capacity; the entry log[i] is live
// exactly when states_[log[i]] holds position i, and a present object has one live entry.
class LruLists {
 public:
  LruLists(size_t objects, size_t lists, int64_t capacity) : states_(objects), lists_(lists), capacity_(capacity) {}

  bool contains(int32_t object) const { return at(object).position != kAbsent; }
  // The parts of a present object's lines that were written, a bit each (at most kDirtyParts).
  static constexpr int kDirtyParts = 4;
  uint32_t dirty(int32_t object) const { return at(object).dirty; }
  void add_dirty(int32_t object, uint32_t parts) { at(object).dirty |= parts & kAllParts; }

  // Makes a present object the newest of its list.
  void touch(int32_t object, size_t list) {
    List& l = lists_[list];
    if (l.log.back() == object) return;
    append(object, l);
  }

  // Makes an absent object the newest, with the given dirty parts, and calls evict(object, dirty parts) for what must
  // leave; an object larger than the list leaves itself.
  template <class Evict>
  void insert(int32_t object, size_t list, const std::vector<int32_t>& sizes, uint32_t parts, Evict evict) {
    List& l = lists_[list];
    ++l.live;
    l.used += sizes[static_cast<size_t>(object)];
    at(object).dirty = parts & kAllParts;
    append(object, l);
    while (l.used > capacity_) {
      const int32_t oldest = l.log[l.begin];
      State& state = at(oldest);
      if (state.position != l.begin++) continue;
      --l.live;
      l.used -= sizes[static_cast<size_t>(oldest)];
      const uint32_t was_dirty = state.dirty;
      state = State{};
      evict(oldest, was_dirty);
    }
  }

 private:
  static constexpr uint32_t kAllParts = (1U << kDirtyParts) - 1;
  static constexpr uint32_t kAbsent = 0xFFFFFFF;
  struct State {
    uint32_t position : 28 = kAbsent;
    uint32_t dirty : kDirtyParts = 0;
  };
  struct List {
    std::vector<int32_t> log;
    uint32_t begin = 0;  // nothing before it is live
    size_t live = 0;
    int64_t used = 0;
  };
  State& at(int32_t object) { return states_[static_cast<size_t>(object)]; }
  const State& at(int32_t object) const { return states_[static_cast<size_t>(object)]; }

  void append(int32_t object, List& l) {
    // Few dead entries beside the live ones: the log stays in the nearest cache, and compaction costs O(1) a use.
    if (l.log.size() >= 256 + 4 * l.live) compact(l);
    at(object).position = static_cast<uint32_t>(l.log.size()) & kAbsent;
    l.log.push_back(object);
  }
  void compact(List& l) {
    size_t kept = 0;
    for (size_t i = l.begin; i < l.log.size(); ++i) {
      const int32_t object = l.log[i];
      if (at(object).position != i) continue;
      at(object).position = static_cast<uint32_t>(kept) & kAbsent;
      l.log[kept++] = object;
    }
    l.log.resize(kept);
    l.begin = 0;
  }

  std::vector<State> states_;
  std::vector<List> lists_;
  int64_t capacity_;
};

// A small cache (an L1) over few of many objects. Invariants: used_ <= capacity_; entries_[begin_, end_) are the
// objects present, oldest first; filter_[h] counts those whose hash is h, so that most misses need no search.
class SmallLru {
 public:
  explicit SmallLru(int64_t capacity)
      : capacity_(std::max<int64_t>(capacity, 0)),
        filter_(std::bit_ceil(static_cast<size_t>(2 * capacity_ + 2)), 0),
        entries_(static_cast<size_t>(2 * capacity_ + 2)) {}

  // True when the object was present; it is the newest afterwards. An object larger than the cache is never kept.
  bool access(int32_t object, int32_t size) {
    if (size > capacity_) return false;
    uint16_t& same_hash = filter_[hash(object)];
    if (same_hash > 0 && renew(object)) return true;
    if (end_ == entries_.size() || end_ >= 16 + 2 * (end_ - begin_)) {
      std::copy(entries_.begin() + static_cast<int64_t>(begin_), entries_.begin() + static_cast<int64_t>(end_),
                entries_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    ++same_hash;
    entries_[end_++] = {object, size};
    used_ += size;
    while (used_ > capacity_) {
      const Entry& oldest = entries_[begin_++];
      used_ -= oldest.size;
      --filter_[hash(oldest.object)];
    }
    return false;
  }

 private:
  struct Entry {
    int32_t object = 0;
    int32_t size = 0;
  };
  size_t hash(int32_t object) const {
    return (static_cast<uint32_t>(object) * 2654435761U >> 8U) & (filter_.size() - 1);
  }
  // Moves the object to the end, if it is present; recent ones are found first.
  bool renew(int32_t object) {
    for (size_t i = end_; i-- > begin_;) {
      if (entries_[i].object != object) continue;
      const auto found = entries_.begin() + static_cast<int64_t>(i);
      std::rotate(found, found + 1, entries_.begin() + static_cast<int64_t>(end_));
      return true;
    }
    return false;
  }

  int64_t capacity_;
  int64_t used_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::vector<uint16_t> filter_;
  std::vector<Entry> entries_;
};

}  // namespace swizzleperf

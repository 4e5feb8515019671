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

// A small cache (an L1) over few of many objects. Invariants: used_ <= capacity_; objects_[begin_, end_) are those
// present, oldest first, sizes_ beside them. Few are searched one by one; while there are many, filter_[h] counts those
// whose hash is h, so that most misses need no search.
class SmallLru {
 public:
  explicit SmallLru(int64_t capacity)
      : capacity_(std::max<int64_t>(capacity, 0)),
        objects_(static_cast<size_t>(2 * capacity_ + 2)),
        sizes_(objects_.size()) {}

  // True when the object was present; it is the newest afterwards. An object larger than the cache is never kept.
  bool access(int32_t object, int32_t size) {
    if (size > capacity_) return false;
    if (may_hold(object) && renew(object)) return true;
    if (end_ == objects_.size() || end_ >= 16 + 2 * (end_ - begin_)) move_to_front();
    objects_[end_] = object;
    sizes_[end_++] = size;
    if (filtering_) ++filter_[hash(object)];
    for (used_ += size; used_ > capacity_; ++begin_) {
      used_ -= sizes_[begin_];
      if (filtering_) --filter_[hash(objects_[begin_])];
    }
    if (filtering_ != (end_ - begin_ > (filtering_ ? kFew / 2 : kFew))) switch_filter();
    return false;
  }

 private:
  static constexpr size_t kFew = 16;

  bool may_hold(int32_t object) const { return !filtering_ || filter_[hash(object)] > 0; }
  size_t hash(int32_t object) const {
    return (static_cast<uint32_t>(object) * 2654435761U >> 8U) & (filter_.size() - 1);
  }
  void move_to_front() {
    const auto begin = static_cast<std::ptrdiff_t>(begin_), end = static_cast<std::ptrdiff_t>(end_);
    std::copy(objects_.begin() + begin, objects_.begin() + end, objects_.begin());
    std::copy(sizes_.begin() + begin, sizes_.begin() + end, sizes_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  void switch_filter() {
    filtering_ = !filtering_;
    // Wide enough that few hashes meet by chance: each costs a search.
    if (filter_.empty()) filter_.resize(std::bit_ceil(4 * objects_.size()));
    std::fill(filter_.begin(), filter_.end(), 0);
    for (size_t i = begin_; filtering_ && i < end_; ++i) ++filter_[hash(objects_[i])];
  }
  // Moves the object to the end, if it is present; recent ones are found first.
  bool renew(int32_t object) {
    for (size_t i = end_; i-- > begin_;) {
      if (objects_[i] != object) continue;
      const int32_t size = sizes_[i];
      for (; i + 1 < end_; ++i) {
        objects_[i] = objects_[i + 1];
        sizes_[i] = sizes_[i + 1];
      }
      objects_[i] = object;
      sizes_[i] = size;
      return true;
    }
    return false;
  }

  int64_t capacity_;
  int64_t used_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool filtering_ = false;
  std::vector<int32_t> objects_;
  std::vector<int32_t> sizes_;
  std::vector<uint16_t> filter_;
};

}  // namespace swizzleperf

// Least-recently-used lists of objects with sizes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace swizzleperf {

// One cache of several independent lists over the objects 0 .. n-1. Invariants: an object is on at most one list;
// used[l] is the sum of the sizes on list l and, after every insert, at most the capacity.
class LruLists {
 public:
  LruLists(size_t objects, size_t lists, int64_t capacity)
      : links_(objects, Link{}), heads_(lists, Head{}), capacity_(capacity) {}

  void clear() {
    std::fill(links_.begin(), links_.end(), Link{});
    std::fill(heads_.begin(), heads_.end(), Head{});
  }

  bool contains(int32_t object) const { return links_[static_cast<size_t>(object)].next != kAbsent; }
  bool dirty(int32_t object) const { return links_[static_cast<size_t>(object)].dirty; }
  void set_dirty(int32_t object) { links_[static_cast<size_t>(object)].dirty = true; }

  // Moves a present object to the front of its list.
  void touch(int32_t object, size_t list) {
    Head& head = heads_[list];
    if (head.first == object) return;
    unlink(object, head);
    push_front(object, head);
  }

  // Puts an absent object in front and calls evict(object, dirty) for what must leave; an object larger than the list
  // leaves itself.
  template <class Evict>
  void insert(int32_t object, size_t list, const std::vector<int32_t>& sizes, bool is_dirty, Evict evict) {
    Head& head = heads_[list];
    push_front(object, head);
    links_[static_cast<size_t>(object)].dirty = is_dirty;
    head.used += sizes[static_cast<size_t>(object)];
    while (head.used > capacity_) {
      const int32_t last = head.last;
      unlink(last, head);
      Link& link = links_[static_cast<size_t>(last)];
      head.used -= sizes[static_cast<size_t>(last)];
      link.next = kAbsent;
      evict(last, link.dirty);
      link.dirty = false;
    }
  }

 private:
  static constexpr int32_t kNone = -1;
  static constexpr int32_t kAbsent = -2;
  struct Link {
    int32_t next = kAbsent;
    int32_t previous = kNone;
    bool dirty = false;
  };
  struct Head {
    int32_t first = kNone;
    int32_t last = kNone;
    int64_t used = 0;
  };
  Link& at(int32_t object) { return links_[static_cast<size_t>(object)]; }
  void unlink(int32_t object, Head& head) {
    const Link link = at(object);
    (link.previous == kNone ? head.first : at(link.previous).next) = link.next;
    (link.next == kNone ? head.last : at(link.next).previous) = link.previous;
  }
  void push_front(int32_t object, Head& head) {
    Link& link = at(object);
    link.previous = kNone;
    link.next = head.first;
    (head.first == kNone ? head.last : at(head.first).previous) = object;
    head.first = object;
  }

  std::vector<Link> links_;
  std::vector<Head> heads_;
  int64_t capacity_;
};

// A small cache of few entries (an L1): objects in order of use in one array, newest last.
class SmallLru {
 public:
  explicit SmallLru(int64_t capacity) : capacity_(capacity) {}
  // True when the object was present; it is the newest afterwards.
  bool access(int32_t object, int32_t size) {
    if (size > capacity_) return false;
    for (size_t i = entries_.size(); i-- > 0;) {
      if (entries_[i].object != object) continue;
      std::rotate(entries_.begin() + static_cast<long>(i), entries_.begin() + static_cast<long>(i) + 1, entries_.end());
      return true;
    }
    used_ += size;
    size_t leaving = 0;
    while (used_ > capacity_) used_ -= entries_[leaving++].size;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<long>(leaving));
    entries_.push_back({object, size});
    return false;
  }

 private:
  struct Entry {
    int32_t object;
    int32_t size;
  };
  std::vector<Entry> entries_;
  int64_t capacity_;
  int64_t used_ = 0;
};

}  // namespace swizzleperf

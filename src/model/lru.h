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

// A small cache (an L1) of at most kMaxEntries objects: a list in order of use over a fixed pool, found through an
// open-addressed table. Invariants: used_ <= capacity_; every object on the list is in the table exactly once.
class SmallLru {
 public:
  explicit SmallLru(int64_t capacity) : capacity_(std::min<int64_t>(capacity, kMaxEntries)), table_(kTable, kNone) {
    entries_.reserve(kMaxEntries + 1);
  }

  // True when the object was present; it is the newest afterwards. An object larger than the cache is never kept.
  bool access(int32_t object, int32_t size) {
    if (size > capacity_) return false;
    const int16_t found = table_[find(object)];
    if (found != kNone) {
      unlink(found);
      push_front(found);
      return true;
    }
    used_ += size;
    while (used_ > capacity_) evict_last();
    int16_t entry = free_;
    if (entry == kNone) {
      entry = static_cast<int16_t>(entries_.size());
      entries_.emplace_back();
    } else {
      free_ = entries_[static_cast<size_t>(entry)].next;
    }
    entries_[static_cast<size_t>(entry)].object = object;
    entries_[static_cast<size_t>(entry)].size = size;
    table_[find(object)] = entry;
    push_front(entry);
    return false;
  }

 private:
  static constexpr int64_t kMaxEntries = 4096;
  static constexpr size_t kTable = 16384;  // a power of two, four times the entries
  static constexpr int16_t kNone = -1;
  struct Entry {
    int32_t object = 0;
    int32_t size = 0;
    int16_t next = kNone;
    int16_t previous = kNone;
  };

  static size_t slot_of(int32_t object) { return (static_cast<uint32_t>(object) * 2654435761U >> 8U) % kTable; }
  // The slot of the object, or the empty one where it would go.
  size_t find(int32_t object) const {
    size_t slot = slot_of(object);
    while (table_[slot] != kNone && entries_[static_cast<size_t>(table_[slot])].object != object)
      slot = (slot + 1) % kTable;
    return slot;
  }
  Entry& at(int16_t entry) { return entries_[static_cast<size_t>(entry)]; }
  void unlink(int16_t entry) {
    const Entry& gone = at(entry);
    (gone.previous == kNone ? first_ : at(gone.previous).next) = gone.next;
    (gone.next == kNone ? last_ : at(gone.next).previous) = gone.previous;
  }
  void push_front(int16_t entry) {
    at(entry).previous = kNone;
    at(entry).next = first_;
    (first_ == kNone ? last_ : at(first_).previous) = entry;
    first_ = entry;
  }
  void evict_last() {
    const int16_t entry = last_;
    used_ -= at(entry).size;
    erase(find(at(entry).object));
    unlink(entry);
    at(entry).next = free_;
    free_ = entry;
  }
  // Removes a slot and moves later ones of its run back, so that no search stops early.
  void erase(size_t hole) {
    table_[hole] = kNone;
    for (size_t slot = (hole + 1) % kTable; table_[slot] != kNone; slot = (slot + 1) % kTable) {
      const size_t home = slot_of(at(table_[slot]).object);
      if ((slot - home) % kTable < (slot - hole) % kTable) continue;
      table_[hole] = table_[slot];
      table_[slot] = kNone;
      hole = slot;
    }
  }

  int64_t capacity_;
  int64_t used_ = 0;
  int16_t first_ = kNone;
  int16_t last_ = kNone;
  int16_t free_ = kNone;
  std::vector<Entry> entries_;
  std::vector<int16_t> table_;
};

}  // namespace swizzleperf

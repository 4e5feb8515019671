// The way of a phase's touches through an L1 and a domain's L2, object by object.
#pragma once

#include <algorithm>

#include "model/engine.h"
#include "model/lru.h"
#include "model/memory_side.h"

namespace swizzleperf {

class ObjectPath {
 public:
  ObjectPath(const ObjectStream& stream, const GpuSpec& gpu, ObjectTraffic* traffic, size_t domain)
      : stream_(&stream),
        l2_(stream.lines.size(), static_cast<size_t>(stream.lists), stream.list_lines),
        line_bytes_(gpu.l2.line_bytes),
        traffic_(traffic),
        domain_(domain) {}

  // The round in which the phase's loads are there; 0 in lock step.
  int64_t issue(SmallLru& l1, int64_t phase, DomainPrediction& counts, MemorySide& memory) {
    for_each_touch(*stream_, phase, [&](const Touch& touch) {
      // Repeats of a load inside a phase hit the L1; scalar loads and stores do not pass through it.
      if (touch.kind == AccessKind::kLoad && l1.access(touch.object, touch.lines)) return;
      request(touch, counts, memory);
    });
    prefetch(static_cast<size_t>(stream_->phase_begin[static_cast<size_t>(phase) + 1]));
    int64_t ready = 0;
    if (!memory.waits()) return ready;
    // What hits an L1 or the L2 may still be on its way for another workgroup.
    for_each_touch(*stream_, phase, [&](const Touch& touch) {
      if (touch.kind != AccessKind::kStore) ready = std::max(ready, memory.arrival(touch.object));
    });
    return ready;
  }

  void flush(MemorySide& memory) const {
    for (int32_t object = 0; object < static_cast<int32_t>(stream_->lines.size()); ++object) {
      if (l2_.contains(object)) memory.write_back(object, l2_.dirty(object));
    }
  }

 private:
  // The slot's next phase begins with this access, one round from now: its touches are fetched meanwhile.
  void prefetch(size_t access) const {
    constexpr size_t kAhead = 2;
    for (size_t a = access; a < std::min(access + kAhead, stream_->accesses.size()); ++a) {
      if (stream_->accesses[a] >= 0) __builtin_prefetch(&stream_->touches[static_cast<size_t>(stream_->accesses[a])]);
    }
  }

  void request(const Touch& touch, DomainPrediction& counts, MemorySide& memory) {
    const int64_t requests = touch.kind == AccessKind::kLoad ? touch.first : touch.first + touch.repeats;
    const bool fetches = touch.kind != AccessKind::kStore;
    const bool present = l2_.contains(touch.object);
    // One miss a line; the rest of the requests finds it.
    const int64_t hits = present ? requests : requests - std::min<int64_t>(requests, touch.lines);
    counts.requests += requests;
    counts.hits += hits;
    if (traffic_ != nullptr) note(touch, requests, hits, !present && fetches ? touch.lines : 0);
    if (present) {
      l2_.touch(touch.object, static_cast<size_t>(touch.list));
      if (touch.parts != 0) l2_.add_dirty(touch.object, touch.parts);
      return;
    }
    if (fetches) memory.fetch(touch.object);
    l2_.insert(touch.object, static_cast<size_t>(touch.list), stream_->lines, touch.parts,
               [&](int32_t evicted, uint32_t dirty) { memory.write_back(evicted, dirty); });
  }

  void note(const Touch& touch, int64_t requests, int64_t hits, int64_t fetched_lines) const {
    const auto o = static_cast<size_t>(touch.object);
    traffic_->requests[o] += requests;
    traffic_->half_hits[o] += 2 * hits;
    traffic_->fetched[o] += fetched_lines * line_bytes_;
    traffic_->domains[o] |= uint64_t{1} << (domain_ % 64);
  }

  const ObjectStream* stream_;
  LruLists l2_;
  int64_t line_bytes_;
  ObjectTraffic* traffic_;  // filled where given
  size_t domain_;
};

}  // namespace swizzleperf

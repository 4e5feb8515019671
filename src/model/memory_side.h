// What an L2 asks of the memory behind it.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/objects.h"
#include "model/slots.h"

namespace swizzleperf {

// A fetch of an object's lines, or a write-back of the given parts of each of them.
struct MemoryEvent {
  int64_t round = 0;
  int32_t object = 0;
  uint32_t parts = 0;  // 0: a fetch
};

// The requests of one domain. Where a cache behind the L2s must see those of all domains in order, each is kept as an
// event; else they are only counted.
//
// Only what was written of a line leaves, in requests of 64 B: two XCDs that write a half each of one line write it
// once. The L2 tracks what is dirty by bytes and sends writes of 64 B, or 32 B where less is dirty, to the fabric
// (counters TCC_EA0_WRREQ and TCC_EA0_WRREQ_64B: ROCm documentation, MI300 and MI200 series performance counters).
class MemorySide {
 public:
  MemorySide(const ObjectStream& stream, bool in_order, int64_t line_bytes, const Timing& timing, uint64_t seed)
      : stream_(&stream),
        in_order_(in_order),
        line_bytes_(line_bytes),
        waits_(timing.waits()),
        in_flight_(timing, stream.lines.size(), seed) {}

  bool in_order() const { return in_order_; }
  void begin_round(int64_t round) { round_ = round; }
  // True when loads may have to wait for what they miss.
  bool waits() const { return waits_; }
  // The round from which on the object is there.
  int64_t arrival(int32_t object) const { return in_flight_.arrival(object); }
  void fetch(int32_t object) {
    if (waits_) in_flight_.fetch(object, stream_->lines[static_cast<size_t>(object)] * line_bytes_, round_);
    if (in_order_) {
      events_.push_back({round_, object, 0});
    } else {
      fetched_lines_ += stream_->lines[static_cast<size_t>(object)];
    }
  }
  // Fetches of single lines. REQUIRES: !in_order()
  void count_fetches(size_t lines) { fetched_lines_ += static_cast<int64_t>(lines); }
  void write_back(int32_t object, uint32_t parts) {
    if (parts == 0) return;
    if (in_order_) {
      events_.push_back({round_, object, parts});
    } else {
      written_parts_ += int64_t{stream_->lines[static_cast<size_t>(object)]} * std::popcount(parts);
    }
  }

  std::vector<MemoryEvent>& events() { return events_; }
  int64_t fetched_lines() const { return fetched_lines_; }
  int64_t written_parts() const { return written_parts_; }

 private:
  const ObjectStream* stream_;
  bool in_order_;
  int64_t line_bytes_;
  bool waits_;
  InFlight in_flight_;
  int64_t round_ = 0;
  std::vector<MemoryEvent> events_;
  int64_t fetched_lines_ = 0;
  int64_t written_parts_ = 0;
};

}  // namespace swizzleperf

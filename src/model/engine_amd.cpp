#include <bit>

#include "model/engine.h"
#include "model/lru.h"

namespace swizzleperf {
namespace {

constexpr int64_t kCodeRequestBytes = 64;  // a line of the instruction cache

// What an L2 asks of the memory behind it: a fetch, or a write-back of the given parts of an object's lines.
struct Event {
  int64_t round = 0;
  int32_t object = 0;
  uint32_t parts = 0;  // 0: a fetch
};

// One domain: its queue, the L1s of its compute units and its L2. Domains meet only behind their L2s, so each runs some
// rounds by itself, its state in the nearest caches, and leaves its events.
class Domain {
 public:
  Domain(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order, size_t index,
         ObjectTraffic* traffic)
      : stream_(stream),
        gpu_(gpu),
        order_(order),
        traffic_(traffic),
        index_(index),
        slots_(static_cast<size_t>(gpu.cus_per_domain * occupancy), stream),
        l1_(static_cast<size_t>(gpu.cus_per_domain), SmallLru(gpu.l1.bytes / gpu.l2.line_bytes)),
        l2_(stream.lines.size(), static_cast<size_t>(gpu.l2.channels),
            gpu.l2.bytes / gpu.l2.line_bytes / gpu.l2.channels),
        next_id_(index) {}

  // Runs so many rounds more; false when nothing was left to do.
  bool advance(int64_t rounds) {
    for (; rounds > 0; --rounds) {
      const bool any = slots_.round([&] { return next_tile(); },
                                    [&](size_t slot, int64_t phase) { issue(l1_[slot % l1_.size()], phase); });
      if (!any) return false;
    }
    return true;
  }

  // What is dirty at the end of the launch leaves the L2 as well.
  void flush() {
    for (int32_t object = 0; object < static_cast<int32_t>(stream_.lines.size()); ++object) {
      if (l2_.contains(object)) write_back(object, l2_.dirty(object));
    }
  }

  const DomainPrediction& counts() const { return counts_; }
  const Slots& slots() const { return slots_; }
  std::vector<Event>& events() { return events_; }

 private:
  int32_t next_tile() {
    while (next_id_ < order_.size()) {
      const int32_t tile = order_[next_id_];
      next_id_ += static_cast<size_t>(gpu_.domains);
      if (tile < 0) continue;  // out of range: issues nothing
      ++counts_.workgroups;
      return tile;
    }
    return -1;
  }

  void issue(SmallLru& l1, int64_t phase) {
    for_each_touch(stream_, phase, [&](const Touch& touch) {
      // Repeats of a load inside a phase hit the L1; scalar loads and stores do not pass through it.
      if (touch.kind == AccessKind::kLoad && l1.access(touch.object, touch.lines)) return;
      request(touch);
    });
    prefetch(static_cast<size_t>(stream_.phase_begin[static_cast<size_t>(phase) + 1]));
  }

  // The slot's next phase begins with this access, one round from now: its touches are fetched meanwhile.
  void prefetch(size_t access) const {
    constexpr size_t kAhead = 2;
    for (size_t a = access; a < std::min(access + kAhead, stream_.accesses.size()); ++a) {
      if (stream_.accesses[a] >= 0) __builtin_prefetch(&stream_.touches[static_cast<size_t>(stream_.accesses[a])]);
    }
  }

  void request(const Touch& touch) {
    const int64_t requests = touch.kind == AccessKind::kLoad ? touch.first : touch.first + touch.repeats;
    const bool fetches = touch.kind != AccessKind::kStore;
    const bool present = l2_.contains(touch.object);
    // One miss a line; the rest of the requests finds it.
    const int64_t hits = present ? requests : requests - std::min<int64_t>(requests, touch.lines);
    counts_.requests += requests;
    counts_.hits += hits;
    if (traffic_ != nullptr) note(touch, requests, hits, !present && fetches ? touch.lines : 0);
    if (present) {
      l2_.touch(touch.object, static_cast<size_t>(touch.channel));
      if (touch.parts != 0) l2_.add_dirty(touch.object, touch.parts);
      return;
    }
    if (fetches) events_.push_back({slots_.rounds(), touch.object, 0});
    l2_.insert(touch.object, static_cast<size_t>(touch.channel), stream_.lines, touch.parts,
               [&](int32_t evicted, uint32_t dirty) { write_back(evicted, dirty); });
  }

  void write_back(int32_t object, uint32_t dirty) {
    if (dirty != 0) events_.push_back({slots_.rounds(), object, dirty});
  }

  void note(const Touch& touch, int64_t requests, int64_t hits, int64_t fetched_lines) const {
    const auto o = static_cast<size_t>(touch.object);
    traffic_->requests[o] += requests;
    traffic_->half_hits[o] += 2 * hits;
    traffic_->fetched[o] += fetched_lines * gpu_.l2.line_bytes;
    traffic_->domains[o] |= uint64_t{1} << (index_ % 64);
  }

  const ObjectStream& stream_;
  const GpuSpec& gpu_;
  const Order& order_;
  ObjectTraffic* traffic_;
  size_t index_;
  Slots slots_;
  std::vector<SmallLru> l1_;
  LruLists l2_;
  size_t next_id_;
  std::vector<Event> events_;
  DomainPrediction counts_;
};

// The domains, and the memory behind them, which sees their events round by round.
class Machine {
 public:
  Machine(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order, ObjectTraffic* traffic)
      : stream_(stream), gpu_(gpu), workgroups_(static_cast<int64_t>(order.size())) {
    for (size_t d = 0; d < static_cast<size_t>(gpu.domains); ++d)
      domains_.emplace_back(stream, gpu, occupancy, order, d, traffic);
    if (gpu.llc.bytes > 0) llc_.emplace_back(stream.lines.size(), 1, gpu.llc.bytes / gpu.l2.line_bytes);
  }

  Counts run() {
    // Long enough that a domain's state is loaded once for many rounds, short enough that the events stay few.
    constexpr int64_t kRounds = 64;
    for (bool any = true; any;) {
      any = false;
      for (Domain& domain : domains_) any = domain.advance(kRounds) || any;
      serve_events();
    }
    for (Domain& domain : domains_) domain.flush();
    serve_events();
    add_up();
    return std::move(counts_);
  }

 private:
  // The events of all domains in the order of rounds, and in a round by domain.
  void serve_events() {
    std::vector<size_t> next(domains_.size(), 0);
    for (bool left = true; left;) {
      left = false;
      int64_t round = INT64_MAX;
      for (size_t d = 0; d < domains_.size(); ++d) {
        const auto& events = domains_[d].events();
        if (next[d] < events.size()) round = std::min(round, events[next[d]].round);
      }
      for (size_t d = 0; d < domains_.size(); ++d) {
        const auto& events = domains_[d].events();
        for (; next[d] < events.size() && events[next[d]].round == round; ++next[d]) serve(events[next[d]]);
        left = left || next[d] < events.size();
      }
    }
    for (Domain& domain : domains_) domain.events().clear();
  }

  // Only what was written of a line leaves, in requests of 64 B: two XCDs that write a half each of one line write it
  // once. The L2 tracks what is dirty by bytes and sends writes of 64 B, or 32 B where less is dirty, to the fabric
  // (counters TCC_EA0_WRREQ and TCC_EA0_WRREQ_64B: ROCm documentation, MI300 and MI200 series performance counters).
  // The LLC keeps no dirty data: a write goes through to DRAM.
  void serve(const Event& event) {
    const int64_t lines = stream_.lines[static_cast<size_t>(event.object)];
    const bool found = pass_llc(event.object, lines);
    if (event.parts != 0) {
      const int64_t bytes = lines * std::popcount(event.parts) * stream_.part_bytes;
      counts_.l2_write_back_bytes += bytes;
      counts_.dram_write_bytes += bytes;
      return;
    }
    counts_.l2_read_miss_bytes += lines * gpu_.l2.line_bytes;
    if (!found) counts_.dram_read_bytes += lines * gpu_.l2.line_bytes;
  }

  bool pass_llc(int32_t object, int64_t lines) {
    if (llc_.empty()) return false;
    counts_.llc_requests += lines;
    if (llc_[0].contains(object)) {
      llc_[0].touch(object, 0);
      counts_.llc_hits += lines;
      return true;
    }
    llc_[0].insert(object, 0, stream_.lines, 0, [](int32_t, uint32_t) {});
    return false;
  }

  void add_up() {
    int64_t rounds = 0, slots = 0;
    for (const Domain& domain : domains_) {
      rounds = std::max(rounds, domain.slots().rounds());
      slots += static_cast<int64_t>(domain.slots().size());
      counts_.phases += domain.slots().issued();
      counts_.domains.push_back(domain.counts());
    }
    counts_.slot_rounds = rounds * slots;
    // A kernel's code passes through the L2 as well, once a launch for each instruction cache. Workgroups whose id is
    // out of range run too, if only to find that out.
    for (size_t d = 0; d < domains_.size(); ++d) {
      const CodeFetch fetch = code_fetch(gpu_, workgroups_, static_cast<int64_t>(d));
      counts_.domains[d].requests += fetch.requests;
      counts_.domains[d].hits += fetch.requests - fetch.misses;
    }
  }

  const ObjectStream& stream_;
  const GpuSpec& gpu_;
  int64_t workgroups_;
  std::vector<Domain> domains_;
  std::vector<LruLists> llc_;  // none or one
  Counts counts_;
};

}  // namespace

CodeFetch code_fetch(const GpuSpec& gpu, int64_t workgroups, int64_t domain) {
  const int64_t here = (workgroups - domain + gpu.domains - 1) / gpu.domains;
  const int64_t cus = std::min(std::max<int64_t>(here, 0), gpu.cus_per_domain);
  if (cus == 0 || gpu.cus_per_instruction_cache == 0) return {};
  const int64_t caches = (cus + gpu.cus_per_instruction_cache - 1) / gpu.cus_per_instruction_cache;
  const int64_t lines = (gpu.code_requests * kCodeRequestBytes + gpu.l2.line_bytes - 1) / gpu.l2.line_bytes;
  return {caches * gpu.code_requests, lines};  // only the first finds them missing
}

Counts simulate_domains(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order,
                        ObjectTraffic* traffic) {
  return Machine(stream, gpu, occupancy, order, traffic).run();
}

}  // namespace swizzleperf

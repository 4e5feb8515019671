#include "model/engine.h"
#include "model/lru.h"

namespace swizzleperf {
namespace {

constexpr int64_t kCodeRequestBytes = 64;  // a line of the instruction cache

class Machine {
 public:
  Machine(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order, ObjectTraffic* traffic)
      : stream_(stream), gpu_(gpu), order_(order), traffic_(traffic) {
    const auto domains = static_cast<size_t>(gpu.domains);
    const int64_t list_lines = gpu.l2.bytes / gpu.l2.line_bytes / gpu.l2.channels;
    const auto slots = static_cast<size_t>(gpu.cus_per_domain * occupancy);
    for (size_t d = 0; d < domains; ++d) {
      domains_.push_back({.l2 = LruLists(stream.lines.size(), static_cast<size_t>(gpu.l2.channels), list_lines),
                          .l1 = std::vector<SmallLru>(static_cast<size_t>(gpu.cus_per_domain),
                                                      SmallLru(gpu.l1.bytes / gpu.l2.line_bytes)),
                          .slots = Slots(slots, stream),
                          .next_id = static_cast<int64_t>(d)});
    }
    counts_.domains.resize(domains);
    if (gpu.llc.bytes > 0) llc_.emplace_back(stream.lines.size(), 1, gpu.llc.bytes / gpu.l2.line_bytes);
  }

  Counts run() {
    for (bool any = true; any;) {
      any = false;
      for (size_t d = 0; d < domains_.size(); ++d) {
        any = domains_[d].slots.round([&] { return next_tile(d); },
                                      [&](size_t slot, int64_t phase) { issue(d, slot, phase); }) ||
              any;
      }
    }
    int64_t rounds = 0, slots = 0;
    for (const auto& domain : domains_) {
      rounds = std::max(rounds, domain.slots.rounds());
      slots += static_cast<int64_t>(domain.slots.size());
      counts_.phases += domain.slots.issued();
    }
    counts_.slot_rounds = rounds * slots;
    fetch_code();
    for (auto& domain : domains_) {
      for (int32_t object = 0; object < static_cast<int32_t>(stream_.lines.size()); ++object) {
        if (domain.l2.contains(object) && domain.l2.dirty(object)) write_back(object);
      }
    }
    return std::move(counts_);
  }

 private:
  struct Domain {
    LruLists l2;
    std::vector<SmallLru> l1;
    Slots slots;
    int64_t next_id = 0;
  };

  // A kernel's code passes through the L2 as well, once a launch for each instruction cache. Workgroups whose id is out
  // of range run too, if only to find that out.
  void fetch_code() {
    for (size_t d = 0; d < domains_.size(); ++d) {
      const CodeFetch fetch = code_fetch(gpu_, static_cast<int64_t>(order_.size()), static_cast<int64_t>(d));
      counts_.domains[d].requests += fetch.requests;
      counts_.domains[d].hits += fetch.requests - fetch.misses;
    }
  }

  int32_t next_tile(size_t d) {
    Domain& domain = domains_[d];
    const auto size = static_cast<int64_t>(order_.size());
    while (domain.next_id < size) {
      const int32_t tile = order_[static_cast<size_t>(domain.next_id)];
      domain.next_id += gpu_.domains;
      if (tile < 0) continue;  // out of range: issues nothing
      ++counts_.domains[d].workgroups;
      return tile;
    }
    return -1;
  }

  void issue(size_t d, size_t slot, int64_t phase) {
    Domain& domain = domains_[d];
    SmallLru& l1 = domain.l1[slot % static_cast<size_t>(gpu_.cus_per_domain)];
    for (int64_t a = stream_.phase_begin[static_cast<size_t>(phase)];
         a < stream_.phase_begin[static_cast<size_t>(phase) + 1]; ++a) {
      const ObjectAccess& access = stream_.distinct[static_cast<size_t>(stream_.accesses[static_cast<size_t>(a)])];
      for (int64_t t = access.begin; t < access.end; ++t) {
        const Touch& touch = stream_.touches[static_cast<size_t>(t)];
        const int32_t lines = stream_.lines[static_cast<size_t>(touch.object)];
        // Repeats of a load inside a phase hit the L1; scalar loads and stores do not pass through it.
        if (access.kind == AccessKind::kLoad && l1.access(touch.object, lines)) continue;
        const bool stores = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic;
        request(d, touch.object, access.kind == AccessKind::kLoad ? touch.first : touch.first + touch.repeats, lines,
                stores, access.kind == AccessKind::kAtomic);
      }
    }
  }

  void request(size_t d, int32_t object, int64_t requests, int32_t lines, bool stores, bool fetches) {
    Domain& domain = domains_[d];
    const auto list = static_cast<size_t>(stream_.channel[static_cast<size_t>(object)]);
    counts_.domains[d].requests += requests;
    const bool present = domain.l2.contains(object);
    // One miss a line; the rest of the requests finds it.
    const int64_t hits = present ? requests : requests - std::min<int64_t>(requests, lines);
    if (traffic_ != nullptr) note(d, object, requests, hits, !present && (!stores || fetches) ? lines : 0);
    counts_.domains[d].hits += hits;
    if (present) {
      domain.l2.touch(object, list);
      if (stores) domain.l2.set_dirty(object);
      return;
    }
    if (!stores || fetches) fetch(object, lines);
    domain.l2.insert(object, list, stream_.lines, stores, [&](int32_t evicted, bool dirty) {
      if (dirty) write_back(evicted);
    });
  }

  void note(size_t d, int32_t object, int64_t requests, int64_t hits, int64_t fetched_lines) const {
    const auto o = static_cast<size_t>(object);
    traffic_->requests[o] += requests;
    traffic_->half_hits[o] += 2 * hits;
    traffic_->fetched[o] += fetched_lines * gpu_.l2.line_bytes;
    traffic_->domains[o] |= uint64_t{1} << (d % 64);
  }

  void fetch(int32_t object, int64_t lines) {
    const int64_t bytes = lines * gpu_.l2.line_bytes;
    counts_.l2_read_miss_bytes += bytes;
    if (!pass_llc(object, lines)) counts_.dram_read_bytes += bytes;
  }

  // The LLC keeps no dirty data: a write goes through to DRAM.
  void write_back(int32_t object) {
    const int64_t lines = stream_.lines[static_cast<size_t>(object)];
    counts_.l2_write_back_bytes += lines * gpu_.l2.line_bytes;
    counts_.dram_write_bytes += lines * gpu_.l2.line_bytes;
    pass_llc(object, lines);
  }

  bool pass_llc(int32_t object, int64_t lines) {
    if (llc_.empty()) return false;
    counts_.llc_requests += lines;
    if (llc_[0].contains(object)) {
      llc_[0].touch(object, 0);
      counts_.llc_hits += lines;
      return true;
    }
    llc_[0].insert(object, 0, stream_.lines, false, [](int32_t, bool) {});
    return false;
  }

  const ObjectStream& stream_;
  const GpuSpec& gpu_;
  const Order& order_;
  ObjectTraffic* traffic_;
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

#include <bit>

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
        if (domain.l2.contains(object)) write_back(object, domain.l2.dirty(object));
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
        request(d, touch, access.kind, lines);
      }
    }
  }

  void request(size_t d, const Touch& touch, AccessKind kind, int32_t lines) {
    Domain& domain = domains_[d];
    const int32_t object = touch.object;
    const int64_t requests = kind == AccessKind::kLoad ? touch.first : touch.first + touch.repeats;
    const bool fetches = kind != AccessKind::kStore;
    const auto list = static_cast<size_t>(stream_.channel[static_cast<size_t>(object)]);
    counts_.domains[d].requests += requests;
    const bool present = domain.l2.contains(object);
    // One miss a line; the rest of the requests finds it.
    const int64_t hits = present ? requests : requests - std::min<int64_t>(requests, lines);
    if (traffic_ != nullptr) note(d, object, requests, hits, !present && fetches ? lines : 0);
    counts_.domains[d].hits += hits;
    if (present) {
      domain.l2.touch(object, list);
      domain.l2.add_dirty(object, touch.parts);
      return;
    }
    if (fetches) fetch(object, lines);
    domain.l2.insert(object, list, stream_.lines, touch.parts,
                     [&](int32_t evicted, uint32_t dirty) { write_back(evicted, dirty); });
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

  // Only what was written of a line leaves, in requests of 64 B: two XCDs that write a half each of one line write it
  // once. The L2 tracks what is dirty by bytes and sends writes of 64 B, or 32 B where less is dirty, to the fabric
  // (counters TCC_EA0_WRREQ and TCC_EA0_WRREQ_64B: ROCm documentation, MI300 and MI200 series performance counters).
  // The LLC keeps no dirty data: a write goes through to DRAM.
  void write_back(int32_t object, uint32_t dirty) {
    if (dirty == 0) return;
    const int64_t lines = stream_.lines[static_cast<size_t>(object)];
    const int64_t bytes = lines * std::popcount(dirty) * stream_.part_bytes;
    counts_.l2_write_back_bytes += bytes;
    counts_.dram_write_bytes += bytes;
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
    llc_[0].insert(object, 0, stream_.lines, 0, [](int32_t, uint32_t) {});
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

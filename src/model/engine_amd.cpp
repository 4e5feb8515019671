#include <bit>

#include "model/engine.h"
#include "model/line_path.h"
#include "model/lru.h"
#include "model/object_path.h"

namespace swizzleperf {
namespace {

constexpr int64_t kCodeRequestBytes = 64;  // a line of the instruction cache

// One domain: its queue, the L1s of its compute units and its L2, which the path knows (ObjectPath or LinePath).
// Domains meet only behind their L2s, so each runs some rounds by itself, its state in the nearest caches.
template <class Path>
class Domain {
 public:
  Domain(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order, size_t index, Path path,
         const Timing& timing)
      : order_(order),
        stride_(static_cast<size_t>(gpu.domains)),
        slots_(static_cast<size_t>(gpu.cus_per_domain * occupancy), stream, timing, index),
        l1_(static_cast<size_t>(gpu.cus_per_domain), SmallLru(gpu.l1.bytes / gpu.l2.line_bytes)),
        path_(std::move(path)),
        memory_(stream, gpu.llc.bytes > 0, gpu.l2.line_bytes, timing, index),
        next_id_(index) {}

  // Runs so many rounds more; false when nothing was left to do.
  bool advance(int64_t rounds) {
    for (; rounds > 0; --rounds) {
      memory_.begin_round(slots_.rounds());
      const bool any = slots_.round(
          [&] { return next_tile(); },
          [&](size_t slot, int64_t phase) { return path_.issue(l1_[slot % l1_.size()], phase, counts_, memory_); });
      if (!any) return false;
    }
    return true;
  }

  // What is dirty at the end of the launch leaves the L2 as well.
  void flush() { path_.flush(memory_); }

  const DomainPrediction& counts() const { return counts_; }
  const Slots& slots() const { return slots_; }
  MemorySide& memory() { return memory_; }

 private:
  int32_t next_tile() {
    while (next_id_ < order_.size()) {
      const int32_t tile = order_[next_id_];
      next_id_ += stride_;
      if (tile < 0) continue;  // out of range: issues nothing
      ++counts_.workgroups;
      return tile;
    }
    return -1;
  }

  const Order& order_;
  size_t stride_;
  Slots slots_;
  std::vector<SmallLru> l1_;
  Path path_;
  MemorySide memory_;
  size_t next_id_;
  DomainPrediction counts_;
};

// The domains, and the memory behind them, which sees their events round by round.
template <class Path>
class Machine {
 public:
  // make_path(d): the path of domain d. `alike`: domains that do the same but for the names of what they touch are
  // simulated once.
  template <class MakePath>
  Machine(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order, bool alike,
          MakePath make_path, const Timing& timing)
      : stream_(stream), gpu_(gpu), workgroups_(static_cast<int64_t>(order.size())) {
    find_members(order, alike);
    for (const Member& member : members_) {
      if (member.leader == domains_.size())
        domains_.emplace_back(stream, gpu, occupancy, order, member.index, make_path(member.index), timing);
    }
    if (gpu.llc.bytes > 0) llc_.emplace_back(stream.lines.size(), 1, gpu.llc.bytes / gpu.l2.line_bytes);
  }

  Counts run() {
    // Long enough that a domain's state is loaded once for many rounds, short enough that the events stay few.
    constexpr int64_t kRounds = 64;
    for (bool any = true; any;) {
      any = false;
      for (auto& domain : domains_) any = domain.advance(kRounds) || any;
      serve_events();
    }
    for (auto& domain : domains_) domain.flush();
    serve_events();
    add_up();
    return std::move(counts_);
  }

 private:
  // A domain of the GPU: one that is simulated, or one that behaves like it.
  struct Member {
    size_t index = 0;
    size_t leader = 0;             // in domains_
    QueueShape shape = {};         // where domains may be alike
    std::vector<int32_t> renamed;  // by macro of the leader: what this one touches instead; empty for a leader itself
  };

  void find_members(const Order& order, bool alike) {
    const auto domains = static_cast<size_t>(gpu_.domains);
    size_t leaders = 0;
    for (size_t d = 0; d < domains; ++d) {
      Member member{.index = d, .leader = leaders};
      const Member* like = nullptr;
      if (alike) {
        member.shape = shape_of_queue(stream_.macros, order, d, domains);
        for (const Member& other : members_) {
          if (like == nullptr && other.shape.signature == member.shape.signature) like = &other;
        }
      }
      if (like == nullptr) {
        ++leaders;
      } else {
        member.leader = like->leader;
        member.renamed.resize(stream_.macros.weight.size(), -1);
        for (size_t k = 0; k < member.shape.macros.size(); ++k)
          member.renamed[static_cast<size_t>(like->shape.macros[k])] = member.shape.macros[k];
      }
      members_.push_back(std::move(member));
    }
  }

  // What a member does where its leader does `event`.
  MemoryEvent event_of(const Member& member, MemoryEvent event) const {
    if (member.renamed.empty()) return event;
    const Macros& macros = stream_.macros;
    const auto object = static_cast<size_t>(event.object);
    const auto macro = static_cast<size_t>(member.renamed[static_cast<size_t>(macros.of[object])]);
    event.object = macros.objects[static_cast<size_t>(macros.begin[macro] + macros.rank[object])];
    return event;
  }

  // The events of all domains in the order of rounds, and in a round by domain.
  void serve_events() {
    std::vector<size_t> next(members_.size(), 0);
    for (bool left = true; left;) {
      left = false;
      int64_t round = INT64_MAX;
      for (size_t d = 0; d < members_.size(); ++d) {
        const auto& events = domains_[members_[d].leader].memory().events();
        if (next[d] < events.size()) round = std::min(round, events[next[d]].round);
      }
      for (size_t d = 0; d < members_.size(); ++d) {
        const auto& events = domains_[members_[d].leader].memory().events();
        for (; next[d] < events.size() && events[next[d]].round == round; ++next[d])
          serve(event_of(members_[d], events[next[d]]));
        left = left || next[d] < events.size();
      }
    }
    for (auto& domain : domains_) domain.memory().events().clear();
  }

  void serve(const MemoryEvent& event) {
    const int64_t lines = stream_.lines[static_cast<size_t>(event.object)];
    const bool found = pass_llc(event.object, lines);
    if (event.parts != 0) {
      counts_.l2_write_back_bytes += lines * std::popcount(event.parts) * stream_.part_bytes;
    } else {
      counts_.l2_read_miss_bytes += lines * gpu_.l2.line_bytes;
      if (!found) counts_.dram_read_bytes += lines * gpu_.l2.line_bytes;
    }
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
    for (const Member& member : members_) {
      const auto& domain = domains_[member.leader];
      rounds = std::max(rounds, domain.slots().rounds());
      slots += static_cast<int64_t>(domain.slots().size());
      counts_.phases += domain.slots().issued();
      counts_.domains.push_back(domain.counts());
    }
    counts_.slot_rounds = rounds * slots;
    add_unordered();
    // A kernel's code passes through the L2 as well, once a launch for each instruction cache. Workgroups whose id is
    // out of range run too, if only to find that out.
    for (size_t d = 0; d < members_.size(); ++d) {
      const CodeFetch fetch = code_fetch(gpu_, workgroups_, static_cast<int64_t>(d));
      counts_.domains[d].requests += fetch.requests;
      counts_.domains[d].hits += fetch.requests - fetch.misses;
    }
  }

  // Where no cache lies behind the L2s, no event is kept.
  void add_unordered() {
    for (const Member& member : members_) {
      auto& domain = domains_[member.leader];
      counts_.l2_read_miss_bytes += domain.memory().fetched_lines() * gpu_.l2.line_bytes;
      counts_.dram_read_bytes += domain.memory().fetched_lines() * gpu_.l2.line_bytes;
      counts_.l2_write_back_bytes += domain.memory().written_parts() * stream_.part_bytes;
    }
    // The LLC keeps no dirty data: a write goes through to DRAM.
    counts_.dram_write_bytes = counts_.l2_write_back_bytes;
  }

  const ObjectStream& stream_;
  const GpuSpec& gpu_;
  int64_t workgroups_;
  std::vector<Member> members_;        // every domain
  std::vector<Domain<Path>> domains_;  // those that are simulated
  std::vector<LruLists> llc_;          // none or one
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
                        ObjectTraffic* traffic, const Timing& timing) {
  // Who asks for the traffic of each object asks for the domains that touch it, too. Each domain drifts in its own way.
  const bool alike = traffic == nullptr && !stream.macros.of.empty() && timing.lock_step();
  return Machine<ObjectPath>(
             stream, gpu, occupancy, order, alike, [&](size_t d) { return ObjectPath(stream, gpu, traffic, d); },
             timing)
      .run();
}

Counts simulate_domains(const LineStream& lines, const GpuSpec& gpu, int64_t occupancy, const Order& order,
                        LineKernel kernel) {
  if (!lines.coded) return simulate_domains(lines.objects, gpu, occupancy, order);
  return Machine<LinePath>(
             lines.objects, gpu, occupancy, order, false, [&](size_t) { return LinePath(lines, gpu, kernel); },
             Timing{})
      .run();
}

}  // namespace swizzleperf

#include "tests/model/reference.h"

#include <list>
#include <map>
#include <set>

namespace swizzleperf {
namespace {

// A list of lines, newest first.
struct LineCache {
  size_t capacity = 0;
  std::list<int64_t> lines = {};
  std::map<int64_t, std::set<int64_t>> dirty = {};  // line -> units of it that were written
  bool touch(int64_t line) {
    for (auto it = lines.begin(); it != lines.end(); ++it) {
      if (*it != line) continue;
      lines.splice(lines.begin(), lines, it);
      return true;
    }
    return false;
  }
  // The line that leaves, or -1.
  int64_t insert(int64_t line) {
    lines.push_front(line);
    if (lines.size() <= capacity) return -1;
    const int64_t last = lines.back();
    lines.pop_back();
    return last;
  }
};

struct Domain {
  std::vector<LineCache> channels;
  std::vector<LineCache> l1;
  std::vector<std::pair<int64_t, int64_t>> slots;  // phase, end
  int64_t next_id = 0;
};

}  // namespace

ReferenceCounts simulate_reference(const Workload& workload, const GpuSpec& gpu, const Order& order) {
  std::vector<int64_t> base;
  int64_t at = 0;
  for (size_t i = 0; i < workload.arrays.size(); ++i) {
    base.push_back(at + 1024 * static_cast<int64_t>(i % 4));
    at = (base.back() + workload.arrays[i].bytes + (2 << 20) - 1) / (2 << 20) * (2 << 20);
  }
  ReferenceCounts counts;
  std::vector<Domain> domains(static_cast<size_t>(gpu.domains));
  for (size_t d = 0; d < domains.size(); ++d) {
    domains[d].channels.assign(static_cast<size_t>(gpu.l2.channels),
                               {static_cast<size_t>(gpu.l2.bytes / gpu.l2.line_bytes / gpu.l2.channels)});
    domains[d].l1.assign(static_cast<size_t>(gpu.cus_per_domain),
                         {static_cast<size_t>(gpu.l1.bytes / gpu.l2.line_bytes)});
    domains[d].slots.assign(static_cast<size_t>(gpu.cus_per_domain * workload.occupancy), {0, 0});
    domains[d].next_id = static_cast<int64_t>(d);
  }
  LineCache llc{static_cast<size_t>(gpu.llc.bytes / gpu.l2.line_bytes)};
  const auto behind = [&](int64_t line) {
    if (gpu.llc.bytes == 0) return false;
    if (llc.touch(line)) return true;
    llc.insert(line);
    return false;
  };
  const auto access_line = [&](Domain& domain, int64_t line, const std::map<int64_t, int64_t>& units, AccessKind kind) {
    const bool stores = kind == AccessKind::kStore || kind == AccessKind::kAtomic;
    int64_t requests = 0;
    for (const auto& [unit, repeats] : units) requests += kind == AccessKind::kLoad ? 1 : repeats;
    LineCache& channel = domain.channels[static_cast<size_t>(line * gpu.l2.line_bytes /
                                                             gpu.l2.channel_interleave_bytes % gpu.l2.channels)];
    counts.requests += requests;
    const bool hit = channel.touch(line);
    counts.hits += hit ? requests : requests - 1;
    if (!hit) {
      if (!stores || kind == AccessKind::kAtomic) counts.dram_read_bytes += behind(line) ? 0 : gpu.l2.line_bytes;
      const int64_t evicted = channel.insert(line);
      if (evicted >= 0 && channel.dirty.count(evicted) > 0) {
        counts.dram_write_bytes += static_cast<int64_t>(channel.dirty[evicted].size()) * gpu.store_request_bytes;
        channel.dirty.erase(evicted);
        behind(evicted);
      }
    }
    for (const auto& [unit, repeats] : units) {
      if (stores) channel.dirty[line].insert(unit);
    }
  };
  for (bool any = true; any;) {
    any = false;
    for (auto& domain : domains) {
      for (size_t s = 0; s < domain.slots.size(); ++s) {
        auto& [phase, end] = domain.slots[s];
        while (phase == end && domain.next_id < static_cast<int64_t>(order.size())) {
          const int32_t tile = order[static_cast<size_t>(domain.next_id)];
          domain.next_id += gpu.domains;
          if (tile < 0) continue;
          phase = workload.tile_begin[static_cast<size_t>(tile)];
          end = workload.tile_begin[static_cast<size_t>(tile) + 1];
        }
        if (phase == end) continue;
        any = true;
        LineCache& l1 = domain.l1[s % static_cast<size_t>(gpu.cus_per_domain)];
        for (int64_t a = workload.phase_begin[static_cast<size_t>(phase)];
             a < workload.phase_begin[static_cast<size_t>(phase) + 1]; ++a) {
          const Access& access = workload.accesses[static_cast<size_t>(a)];
          const bool loads = access.kind == AccessKind::kLoad || access.kind == AccessKind::kScalarLoad;
          const int64_t unit = loads ? gpu.load_request_bytes : gpu.store_request_bytes;
          std::map<int64_t, std::map<int64_t, int64_t>> lines;  // line -> unit -> requests
          for (const Segment& segment : workload.patterns[static_cast<size_t>(access.pattern)].segments) {
            const int64_t begin = base[static_cast<size_t>(access.array)] + access.origin + segment.offset;
            for (int64_t u = begin / unit; u <= (begin + segment.bytes - 1) / unit; ++u)
              lines[u * unit / gpu.l2.line_bytes][u] += segment.repeat;
          }
          for (const auto& [line, units] : lines) {
            if (access.kind == AccessKind::kLoad) {
              if (l1.touch(line)) continue;
              l1.insert(line);
            }
            access_line(domain, line, units, access.kind);
          }
        }
        ++phase;
      }
    }
  }
  for (auto& domain : domains) {
    for (auto& channel : domain.channels) {
      for (const auto& [line, units] : channel.dirty)
        counts.dram_write_bytes += static_cast<int64_t>(units.size()) * gpu.store_request_bytes;
    }
  }
  return counts;
}

}  // namespace swizzleperf

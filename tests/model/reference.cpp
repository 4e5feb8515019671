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

// Where a line of an address may lie: channel and set, by the words of docs/model.md.
int64_t set_of_line(const CacheSpec& l2, int64_t bytes, int64_t line_bytes, int64_t line) {
  const int64_t chunk = l2.channel_interleave_bytes / line_bytes;
  const int64_t channel = line / chunk % l2.channels;
  const int64_t lines = bytes / line_bytes / l2.channels;
  const int64_t sets = l2.ways > 0 ? lines / l2.ways : 1;
  int64_t number = line / chunk / l2.channels * chunk + line % chunk;
  int64_t bits = 0;
  while ((int64_t{1} << bits) < sets) ++bits;
  if (l2.set_index == SetIndex::kXorFold && bits > 0) {
    int64_t folded = 0;
    for (; number > 0; number >>= bits) folded ^= number % (int64_t{1} << bits);
    number = folded;
  }
  return channel * sets + number % sets;
}

// The sets of an L2 or of a side of one.
std::vector<LineCache> empty_sets(const CacheSpec& l2, int64_t bytes, int64_t line_bytes) {
  const int64_t lines = bytes / line_bytes / l2.channels;
  const int64_t ways = l2.ways > 0 ? l2.ways : lines;
  return std::vector<LineCache>(static_cast<size_t>(l2.channels * (lines / ways)),
                                LineCache{static_cast<size_t>(ways)});
}

struct Domain {
  std::vector<LineCache> sets;
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
    domains[d].sets = empty_sets(gpu.l2, gpu.l2.bytes, gpu.l2.line_bytes);
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
    LineCache& channel = domain.sets[static_cast<size_t>(set_of_line(gpu.l2, gpu.l2.bytes, gpu.l2.line_bytes, line))];
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
    for (auto& channel : domain.sets) {
      for (const auto& [line, units] : channel.dirty)
        counts.dram_write_bytes += static_cast<int64_t>(units.size()) * gpu.store_request_bytes;
    }
  }
  return counts;
}

namespace {

// One side of a two-sided L2: its lines, by set.
struct Side {
  std::vector<LineCache> sets;
};

}  // namespace

ReferenceCounts simulate_reference_sides(const Workload& workload, const GpuSpec& gpu, const Order& order) {
  const int64_t sector = gpu.load_request_bytes;
  std::vector<int64_t> base;
  int64_t at = 0;
  for (size_t i = 0; i < workload.arrays.size(); ++i) {
    base.push_back(at + 1024 * static_cast<int64_t>(i % 4));
    at = (base.back() + workload.arrays[i].bytes + (2 << 20) - 1) / (2 << 20) * (2 << 20);
  }
  const int64_t units = gpu.domains * gpu.cus_per_domain;
  const bool two = gpu.domains * gpu.l2_partitions >= 2;
  const int64_t side_bytes = two ? gpu.l2.bytes * gpu.domains / 2 : gpu.l2.bytes;
  std::vector<Side> sides(two ? 2 : 1, Side{empty_sets(gpu.l2, side_bytes, sector)});
  std::vector<LineCache> l1(static_cast<size_t>(units), {static_cast<size_t>(gpu.l1.bytes / 2 / sector)});
  std::vector<std::pair<int64_t, int64_t>> slots(static_cast<size_t>(units * workload.occupancy), {0, 0});
  ReferenceCounts counts;
  const auto set = [&](int64_t side, int64_t line) -> LineCache& {
    return sides[static_cast<size_t>(side)].sets[static_cast<size_t>(set_of_line(gpu.l2, side_bytes, sector, line))];
  };
  const auto keep = [&](int64_t side, int64_t line) {
    const int64_t evicted = set(side, line).insert(line);
    if (evicted >= 0 && set(side, line).dirty.erase(evicted) > 0) counts.dram_write_bytes += sector;
  };
  std::map<int64_t, std::pair<int64_t, int64_t>> last_asked;  // line -> round and pair of units of its last request
  size_t next = 0;
  int64_t round = 0;
  for (bool any = true; any; ++round) {
    any = false;
    for (size_t s = 0; s < slots.size(); ++s) {
      auto& [phase, end] = slots[s];
      while (phase == end && next < order.size()) {
        const int32_t tile = order[next++];
        if (tile < 0) continue;
        phase = workload.tile_begin[static_cast<size_t>(tile)];
        end = workload.tile_begin[static_cast<size_t>(tile) + 1];
      }
      if (phase == end) continue;
      any = true;
      const int64_t unit = static_cast<int64_t>(s) % units;
      const int64_t side = two && 2 * unit >= units ? 1 : 0;
      for (int64_t a = workload.phase_begin[static_cast<size_t>(phase)];
           a < workload.phase_begin[static_cast<size_t>(phase) + 1]; ++a) {
        const Access& access = workload.accesses[static_cast<size_t>(a)];
        const bool loads = access.kind == AccessKind::kLoad || access.kind == AccessKind::kScalarLoad;
        std::map<int64_t, int64_t> lines;  // line -> requests
        for (const Segment& segment : workload.patterns[static_cast<size_t>(access.pattern)].segments) {
          const int64_t begin = base[static_cast<size_t>(access.array)] + access.origin + segment.offset;
          for (int64_t l = begin / sector; l <= (begin + segment.bytes - 1) / sector; ++l) lines[l] += segment.repeat;
        }
        for (const auto& [line, repeats] : lines) {
          const int64_t requests = loads ? 1 : repeats;
          if (loads) {
            LineCache& near = l1[static_cast<size_t>(unit)];
            if (near.touch(line)) continue;
            near.insert(line);
            if (gpu.l1_pair_merge) {
              const std::pair<int64_t, int64_t> now = {round, unit / 2};
              const auto [known, added] = last_asked.try_emplace(line, now);
              if (!added && known->second == now) continue;
              known->second = now;
            }
          }
          counts.requests += requests;
          int64_t parity = 0;
          for (int64_t c = line * sector / gpu.l2.channel_interleave_bytes; c > 0; c /= 2) parity ^= c % 2;
          const int64_t home = two ? parity : 0;
          const bool copy = loads && home != side && set(side, line).touch(line);
          const bool at_home = !copy && set(home, line).touch(line);
          if (!loads) {
            counts.hits += requests;
            if (!at_home && access.kind == AccessKind::kAtomic) counts.dram_read_bytes += sector;
            if (!at_home) keep(home, line);
            set(home, line).dirty[line];
          } else if (home == side) {
            counts.hits += at_home ? requests : 0;
            counts.dram_read_bytes += at_home ? 0 : sector;
            if (!at_home) keep(home, line);
          } else if (copy) {
            counts.hits += requests;
          } else {
            counts.dram_read_bytes += at_home ? 0 : sector;
            if (!at_home) keep(home, line);
            keep(side, line);
          }
        }
      }
      ++phase;
    }
  }
  for (const Side& side : sides) {
    for (const LineCache& cache : side.sets)
      counts.dram_write_bytes += static_cast<int64_t>(cache.dirty.size()) * sector;
  }
  return counts;
}

}  // namespace swizzleperf

#include "frontend/clike/host/recorder.h"

#include <algorithm>
#include <map>
#include <set>

#include "workload/segments.h"

namespace swizzleperf::host {
namespace {

// A loop of up to this many passes between two barriers is unrolled by GPU compilers, its loads issued back to back
// before the first use: one phase. A longer one waits in every pass.
constexpr uint32_t kUnrolledPasses = 16;

bool is_store(AccessKind kind) {
  return kind == AccessKind::kStore || kind == AccessKind::kAtomic;
}

// Stable, and without the temporary buffer of std::stable_sort.
void sort_by_epoch(std::vector<Instruction>& instructions) {
  if (std::is_sorted(instructions.begin(), instructions.end(),
                     [](const auto& a, const auto& b) { return a.epoch < b.epoch; }))
    return;
  std::map<uint32_t, std::vector<Instruction>> by_epoch;
  for (auto& instruction : instructions) by_epoch[instruction.epoch].push_back(std::move(instruction));
  instructions.clear();
  for (auto& [epoch, list] : by_epoch) std::move(list.begin(), list.end(), std::back_inserter(instructions));
}

}  // namespace

void Recorder::begin(int threads, int wave_lanes) {
  wave_lanes_ = wave_lanes;
  waves_.assign(static_cast<size_t>((threads + wave_lanes - 1) / wave_lanes), {});
  occurrences_.assign(static_cast<size_t>(threads), {});
  segments_ = 0;
  instructions_ = 0;
}

uint32_t Recorder::site_index(uintptr_t site) {
  if (site == last_site_) return last_index_;
  last_site_ = site;
  const auto [found, added] = sites_.emplace(site, static_cast<uint32_t>(sites_.size()));
  if (added) site_addresses_.push_back(site);
  last_index_ = found->second;
  return last_index_;
}

void Recorder::access(int thread, uint32_t epoch, uintptr_t site, int buffer, int64_t offset, int size,
                      AccessKind kind) {
  const uint32_t at = site_index(site);
  auto& counts = occurrences_[static_cast<size_t>(thread)];
  if (counts.size() <= at) counts.resize(at + 1);
  const uint32_t occurrence = counts[at]++;
  Wave& wave = waves_[static_cast<size_t>(thread / wave_lanes_)];
  const uint64_t key = static_cast<uint64_t>(occurrence) << 32U | static_cast<uint64_t>(at) << 12U |
                       static_cast<uint64_t>(buffer) << 3U | static_cast<uint64_t>(kind);
  const auto [found, added] = wave.index.try_emplace(key, static_cast<uint32_t>(wave.instructions.size()));
  if (added) {
    wave.instructions.push_back(
        {.site = at, .epoch = epoch, .buffer = static_cast<int16_t>(buffer), .kind = kind, .repeated = occurrence > 0});
    ++instructions_;
  }
  Instruction& instruction = wave.instructions[found->second];
  ++instruction.lanes;
  auto& segments = instruction.segments;
  if (!segments.empty()) {
    Segment& last = segments.back();
    instruction.uniform = instruction.uniform && last.offset == offset && last.bytes == size;
    if (last.offset + last.bytes == offset) {
      last.bytes += size;
      return;
    }
    if (last.offset == offset && last.bytes == size) return;
  }
  segments.push_back({offset, size});
  ++segments_;
}

// The phase of each instruction of a wave. A new one begins at a barrier, where loads turn to stores or back, at
// another store statement, and where a long loop comes round again.
std::vector<int> Recorder::cut_phases(std::vector<Instruction>& instructions) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> passes;  // (epoch, site) -> how often
  std::map<uint32_t, uint32_t> longest;                      // epoch -> most passes of a site
  for (const auto& instruction : instructions) {
    uint32_t& count = passes[{instruction.epoch, instruction.site}];
    longest[instruction.epoch] = std::max(longest[instruction.epoch], ++count);
  }
  std::vector<int> phases;
  std::set<uint32_t> seen;
  int phase = 0;
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& now = instructions[i];
    if (i > 0) {
      const Instruction& before = instructions[i - 1];
      const bool loop = longest[now.epoch] > kUnrolledPasses && seen.count(now.site) > 0;
      const bool turn = is_store(now.kind) != is_store(before.kind) || (is_store(now.kind) && now.site != before.site);
      if (now.epoch != before.epoch || loop || turn) {
        ++phase;
        seen.clear();
      }
    }
    seen.insert(now.site);
    phases.push_back(phase);
  }
  return phases;
}

std::vector<Recorder::Phase> Recorder::finish() {
  std::vector<Phase> phases;
  // (phase, array, kind) -> group, and (group, offset, bytes) -> segment, so that equal requests are counted together.
  std::vector<std::map<std::pair<int16_t, AccessKind>, size_t>> groups;
  std::vector<std::vector<std::map<std::pair<int64_t, int32_t>, size_t>>> places;
  for (Wave& wave : waves_) {
    // Lanes that took another branch were appended late: order by epoch, keep the rest.
    sort_by_epoch(wave.instructions);
    const std::vector<int> cut = cut_phases(wave.instructions);
    for (size_t i = 0; i < wave.instructions.size(); ++i) {
      Instruction& instruction = wave.instructions[i];
      coalesce(instruction.segments);
      const bool scalar =
          instruction.kind == AccessKind::kLoad && instruction.uniform && instruction.lanes > 1 && instruction.repeated;
      const AccessKind kind = scalar ? AccessKind::kScalarLoad : instruction.kind;
      const auto p = static_cast<size_t>(cut[i]);
      if (phases.size() <= p) {
        phases.resize(p + 1);
        groups.resize(p + 1);
        places.resize(p + 1);
      }
      const auto [group, added] = groups[p].try_emplace({instruction.buffer, kind}, phases[p].size());
      if (added) {
        phases[p].push_back({.array = instruction.buffer, .kind = kind});
        places[p].emplace_back();
      }
      Group& target = phases[p][group->second];
      if (const uintptr_t site = site_addresses_[instruction.site];
          std::find(target.sites.begin(), target.sites.end(), site) == target.sites.end())
        target.sites.push_back(site);
      for (const Segment& segment : instruction.segments) {
        const auto [place, fresh] =
            places[p][group->second].try_emplace({segment.offset, segment.bytes}, target.segments.size());
        if (fresh) {
          target.segments.push_back(segment);
        } else {
          ++target.segments[place->second].repeat;
        }
      }
    }
  }
  for (Phase& phase : phases) {
    for (Group& group : phase) {
      group.origin =
          std::min_element(group.segments.begin(), group.segments.end(), [](const Segment& a, const Segment& b) {
            return a.offset < b.offset;
          })->offset;
      for (Segment& segment : group.segments) segment.offset -= group.origin;
    }
  }
  return phases;
}

}  // namespace swizzleperf::host

// The way of a phase's accesses through an L1 and a domain's set-associative L2, line by line, an access at a time.
#pragma once

#include "model/line_stream.h"
#include "model/lru.h"
#include "model/memory_side.h"
#include "model/prediction.h"

namespace swizzleperf {

class LinePath {
 public:
  // REQUIRES: lines.coded
  LinePath(const LineStream& lines, const GpuSpec& gpu, LineKernel kernel)
      : lines_(&lines), has_l1_(gpu.l1.bytes >= gpu.l2.line_bytes), l2_(lines.set_begin.size(), kernel) {
    int32_t longest = 0;
    for (const LineRun& run : lines.runs) longest = std::max(longest, run.count);
    kept_.resize(static_cast<size_t>(longest));
    missed_.resize(kept_.size());
    victims_.resize(kept_.size());
  }

  // Lock step only: nobody waits.
  int64_t issue(SmallLru& l1, int64_t phase, DomainPrediction& counts, MemorySide& memory) {
    const ObjectStream& objects = lines_->objects;
    const auto end = static_cast<size_t>(objects.phase_begin[static_cast<size_t>(phase) + 1]);
    for (auto a = static_cast<size_t>(objects.phase_begin[static_cast<size_t>(phase)]); a < end; ++a) {
      if (lines_->accesses[a] < 0) continue;
      const LineRun& run = lines_->runs[static_cast<size_t>(lines_->accesses[a])];
      const LineCode* codes = &lines_->codes[static_cast<size_t>(run.begin)];
      if (has_l1_ && run.kind == AccessKind::kLoad) {
        load_through(l1, run, counts, memory);
      } else if (writes(run.kind)) {
        counts.requests += run.requests;
        const size_t misses = l2_.access(codes, static_cast<size_t>(run.count), missed_.data(), victims_.data());
        counts.hits += run.requests - static_cast<int64_t>(misses);
        store(run, misses, memory);
      } else {
        load(codes, static_cast<size_t>(run.count), run.requests, counts, memory);
      }
    }
    return 0;
  }

  void flush(MemorySide& memory) const {
    for (size_t line = 0; line < dirty_.size(); ++line) memory.write_back(static_cast<int32_t>(line), dirty_[line]);
  }

 private:
  // Only what the L1 lacks goes on.
  void load_through(SmallLru& l1, const LineRun& run, DomainPrediction& counts, MemorySide& memory) {
    size_t kept = 0;
    int64_t requests = 0;
    for (auto t = static_cast<size_t>(run.begin); t < static_cast<size_t>(run.begin + run.count); ++t) {
      const Touch& touch = lines_->objects.touches[t];
      if (l1.access(touch.object, 1)) continue;
      kept_[kept++] = lines_->codes[t];
      requests += touch.first;
    }
    load(kept_.data(), kept, requests, counts, memory);
  }

  void load(const LineCode* codes, size_t count, int64_t requests, DomainPrediction& counts, MemorySide& memory) {
    // Where nothing is dirty and nothing behind the L2 asks which line, misses need only be counted.
    const bool counts_only = dirty_.empty() && !memory.in_order();
    const size_t misses =
        counts_only ? l2_.count_misses(codes, count) : l2_.access(codes, count, missed_.data(), victims_.data());
    counts.requests += requests;
    counts.hits += requests - static_cast<int64_t>(misses);  // one miss a line; the rest of its requests finds it
    if (counts_only) {
      memory.count_fetches(misses);
      return;
    }
    for (size_t m = 0; m < misses; ++m) {
      memory.fetch(lines_->line(codes[missed_[m]]));
      evict(victims_[m], memory);
    }
  }

  // A line may be written and leave within one access, so parts are marked in step with the misses.
  void store(const LineRun& run, size_t misses, MemorySide& memory) {
    if (dirty_.empty()) dirty_.resize(lines_->objects.lines.size(), 0);
    const Touch* touches = &lines_->objects.touches[static_cast<size_t>(run.begin)];
    size_t m = 0;
    for (size_t i = 0; i < static_cast<size_t>(run.count); ++i) {
      if (m < misses && missed_[m] == i) {
        if (run.kind == AccessKind::kAtomic) memory.fetch(touches[i].object);
        evict(victims_[m++], memory);
      }
      dirty_[static_cast<size_t>(touches[i].object)] |= touches[i].parts;
    }
  }

  void evict(LineCode victim, MemorySide& memory) {
    if (dirty_.empty() || victim.tag() == LineCache::kNoTag) return;
    const int32_t line = lines_->line(victim);
    uint8_t& parts = dirty_[static_cast<size_t>(line)];
    memory.write_back(line, parts);
    parts = 0;
  }

  const LineStream* lines_;
  bool has_l1_;
  LineCache l2_;
  std::vector<uint8_t> dirty_;  // by line: its dirty parts; empty until something is stored
  std::vector<LineCode> kept_;
  std::vector<uint32_t> missed_;
  std::vector<LineCode> victims_;
};

}  // namespace swizzleperf

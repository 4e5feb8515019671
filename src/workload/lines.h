// Lines and tiles of a workload, for those who count them. Private to the folder.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload.h"

namespace swizzleperf {

inline constexpr int64_t kLineBytes = 128;

// Appends the lines that an access touches; may repeat a line.
inline void append_lines(const Workload& workload, const Access& access, std::vector<int64_t>& lines) {
  for (const Segment& segment : workload.patterns[static_cast<size_t>(access.pattern)].segments) {
    const int64_t first = (access.origin + segment.offset) / kLineBytes;
    const int64_t last = (access.origin + segment.offset + segment.bytes - 1) / kLineBytes;
    for (int64_t line = first; line <= last; ++line) lines.push_back(line);
  }
}

// Calls visit(access) for every access of a tile.
template <class Visit>
void for_each_access(const Workload& workload, int64_t tile, Visit visit) {
  const auto at = [](int64_t index) { return static_cast<size_t>(index); };
  const int64_t begin = workload.phase_begin[at(workload.tile_begin[at(tile)])];
  const int64_t end = workload.phase_begin[at(workload.tile_begin[at(tile) + 1])];
  for (int64_t i = begin; i < end; ++i) visit(workload.accesses[at(i)]);
}

// One of so many tiles that stand for all of them: one in each equal part of the grid, at another place of each, so
// that no axis or digit of the tile ids stands still.
inline int64_t sampled_tile(int64_t tiles, int64_t samples, int64_t index) {
  const int64_t begin = index * tiles / samples, end = (index + 1) * tiles / samples;
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ULL;  // times 2^64: its multiples spread evenly
  const unsigned __int128 part =
      static_cast<unsigned __int128>(static_cast<uint64_t>(index) * kGoldenRatio) * static_cast<uint64_t>(end - begin);
  return begin + static_cast<int64_t>(part >> 64U);
}

// A set of lines that grows with what is put in.
class LineSet {
 public:
  // True when the line is new.
  bool insert(int64_t line) {
    const auto index = static_cast<size_t>(line);
    if (index >= present_.size()) present_.resize(index + index / 2 + 1024);
    if (present_[index]) return false;
    present_[index] = true;
    ++size_;
    return true;
  }
  int64_t size() const { return size_; }

 private:
  std::vector<bool> present_;
  int64_t size_ = 0;
};

// Accesses repeat: the same pattern at the same origin touches the same lines, whoever issues it.
struct AccessKey {
  int64_t origin;
  int32_t pattern;
  int32_t owner;  // the array, or what else tells apart
  bool operator==(const AccessKey&) const = default;
};
struct AccessKeyHash {
  size_t operator()(const AccessKey& key) const {
    const auto mixed = static_cast<uint64_t>(key.origin) * 0x9E3779B97F4A7C15ULL ^
                       static_cast<uint64_t>(key.pattern) * 0xC2B2AE3D27D4EB4FULL ^ static_cast<uint64_t>(key.owner);
    return static_cast<size_t>(mixed ^ (mixed >> 29U));
  }
};

}  // namespace swizzleperf

#include "workload/reuse.h"

#include <algorithm>
#include <unordered_set>

#include "workload/lines.h"

namespace swizzleperf {
namespace {

void make_unique(std::vector<int64_t>& lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

// Distinct lines of each array that a tile touches.
std::vector<std::vector<int64_t>> lines_of_tile(const Workload& workload, int64_t tile) {
  std::vector<std::vector<int64_t>> lines(workload.arrays.size());
  for_each_access(workload, tile, [&](const Access& access) {
    append_lines(workload, access, lines[static_cast<size_t>(access.array)]);
  });
  for (auto& array : lines) make_unique(array);
  return lines;
}

double shared_fraction(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  if (a.empty()) return 0;
  std::vector<int64_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(a.size());
}

void count_touched(const Workload& workload, Reuse& reuse) {
  std::unordered_set<AccessKey, AccessKeyHash> seen;
  std::vector<LineSet> touched(workload.arrays.size());
  std::vector<int64_t> lines;
  for (const Access& access : workload.accesses) {
    const auto array = static_cast<size_t>(access.array);
    ArrayReuse& figures = reuse.arrays[array];
    const bool stores = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic;
    (stores ? figures.stored : figures.loaded) = true;
    if (access.kind == AccessKind::kAtomic) figures.loaded = true;
    if (!seen.insert({access.origin, access.pattern, access.array}).second) continue;
    lines.clear();
    append_lines(workload, access, lines);
    for (const int64_t line : lines) touched[array].insert(line);
  }
  for (size_t a = 0; a < touched.size(); ++a) reuse.arrays[a].touched_bytes = touched[a].size() * kLineBytes;
}

// Mean distinct bytes of a tile and the overlap with its neighbours, over tiles spread evenly through the grid.
void sample_tiles(const Workload& workload, Reuse& reuse) {
  constexpr int64_t kSamples = 64;
  const Grid& grid = workload.grid;
  const int64_t samples = std::min(kSamples, grid.size());
  std::vector<std::array<int, 3>> pairs(workload.arrays.size(), {0, 0, 0});
  for (int64_t i = 0; i < samples; ++i) {
    const int64_t tile = sampled_tile(grid.size(), samples, i);
    const auto own = lines_of_tile(workload, tile);
    for (size_t a = 0; a < own.size(); ++a) {
      reuse.arrays[a].bytes_per_tile += static_cast<double>(own[a].size()) * kLineBytes / static_cast<double>(samples);
    }
    const Coordinate at = coordinate(grid, tile);
    const std::array<Coordinate, 3> next = {
        Coordinate{at.x + 1, at.y, at.z}, {at.x, at.y + 1, at.z}, {at.x, at.y, at.z + 1}};
    for (size_t axis = 0; axis < next.size(); ++axis) {
      if (next[axis].x >= grid.x || next[axis].y >= grid.y || next[axis].z >= grid.z) continue;
      const auto other = lines_of_tile(workload, linear(grid, next[axis]));
      for (size_t a = 0; a < own.size(); ++a) {
        reuse.arrays[a].shared_with_next[axis] += shared_fraction(own[a], other[a]);
        ++pairs[a][axis];
      }
    }
  }
  for (size_t a = 0; a < pairs.size(); ++a) {
    for (size_t axis = 0; axis < 3; ++axis) {
      if (pairs[a][axis] > 0) reuse.arrays[a].shared_with_next[axis] /= pairs[a][axis];
    }
  }
}

}  // namespace

Reuse analyse_reuse(const Workload& workload) {
  Reuse reuse;
  reuse.tiles = workload.grid.size();
  for (const auto& array : workload.arrays) reuse.arrays.push_back({.name = array.name, .array_bytes = array.bytes});
  count_touched(workload, reuse);
  sample_tiles(workload, reuse);
  for (auto& array : reuse.arrays) {
    array.requested_bytes = static_cast<int64_t>(array.bytes_per_tile * static_cast<double>(reuse.tiles));
    if (array.touched_bytes > 0)
      array.tiles_per_line = static_cast<double>(array.requested_bytes) / static_cast<double>(array.touched_bytes);
  }
  return reuse;
}

}  // namespace swizzleperf

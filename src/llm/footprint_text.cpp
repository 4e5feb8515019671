// What a few tiles touch of one array: the answer of the tool footprint().
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "llm/context.h"
#include "report/text.h"
#include "workload/reuse.h"

namespace swizzleperf {
namespace {

struct Touched {
  int64_t first = -1, last = -1, accesses = 0;
};

Touched touched_by(const Workload& workload, int64_t tile, int16_t array) {
  Touched touched;
  const auto phases =
      std::pair(workload.tile_begin[static_cast<size_t>(tile)], workload.tile_begin[static_cast<size_t>(tile) + 1]);
  const int64_t begin = workload.phase_begin[static_cast<size_t>(phases.first)];
  const int64_t end = workload.phase_begin[static_cast<size_t>(phases.second)];
  for (int64_t i = begin; i < end; ++i) {
    const Access& access = workload.accesses[static_cast<size_t>(i)];
    if (access.array != array) continue;
    ++touched.accesses;
    for (const Segment& segment : workload.patterns[static_cast<size_t>(access.pattern)].segments) {
      const int64_t from = access.origin + segment.offset;
      touched.first = touched.first < 0 ? from : std::min(touched.first, from);
      touched.last = std::max(touched.last, from + segment.bytes - 1);
    }
  }
  return touched;
}

// The tiles that tell most: the first, its neighbours along each axis, the middle, the last.
std::vector<Coordinate> telling_tiles(const Grid& grid) {
  std::vector<Coordinate> tiles = {{0, 0, 0}};
  if (grid.x > 1) tiles.push_back({1, 0, 0});
  if (grid.y > 1) tiles.push_back({0, 1, 0});
  if (grid.z > 1) tiles.push_back({0, 0, 1});
  tiles.push_back({grid.x / 2, grid.y / 2, grid.z / 2});
  tiles.push_back({grid.x - 1, grid.y - 1, grid.z - 1});
  return tiles;
}

}  // namespace

Expected<std::string> describe_footprint(const Workload& workload, const std::string& array) {
  std::vector<std::string> names;
  for (const auto& info : workload.arrays) names.push_back(info.name);
  const auto found = std::find(names.begin(), names.end(), array);
  if (found == names.end())
    return user_error(fmt::format("there is no array '{}'", array), {}, known_names(array, names));
  const auto index = static_cast<size_t>(found - names.begin());
  const Reuse reuse = analyse_reuse(workload);
  const ArrayReuse& facts = reuse.arrays.at(index);
  std::string text = fmt::format(
      "array {} of {} ({} B an element): a tile touches {}; an average line is used by {:.1f} tiles; shared with the "
      "next tile along x {}, y {}, z {}\n",
      array, format_bytes(static_cast<double>(facts.array_bytes)), workload.arrays[index].element_bytes,
      format_bytes(facts.bytes_per_tile), facts.tiles_per_line, format_percent(facts.shared_with_next[0]),
      format_percent(facts.shared_with_next[1]), format_percent(facts.shared_with_next[2]));
  for (const Coordinate& at : telling_tiles(workload.grid)) {
    const Touched touched = touched_by(workload, linear(workload.grid, at), static_cast<int16_t>(index));
    text += touched.accesses == 0 ? fmt::format("tile ({}, {}, {}): nothing\n", at.x, at.y, at.z)
                                  : fmt::format("tile ({}, {}, {}): {} accesses between byte {} and byte {}\n", at.x,
                                                at.y, at.z, touched.accesses, touched.first, touched.last);
  }
  return text;
}

}  // namespace swizzleperf

#include "search/tile_shape.h"

namespace swizzleperf {
namespace {

// Origin of a tile's first load of an array; -1 where it has none.
int64_t first_origin(const Workload& workload, int64_t tile, int16_t array) {
  const auto at = [](int64_t i) { return static_cast<size_t>(i); };
  const int64_t begin = workload.phase_begin[at(workload.tile_begin[at(tile)])];
  const int64_t end = workload.phase_begin[at(workload.tile_begin[at(tile) + 1])];
  for (int64_t a = begin; a < end; ++a) {
    const Access& access = workload.accesses[at(a)];
    if (access.array == array && access.kind != AccessKind::kStore) return access.origin;
  }
  return -1;
}

}  // namespace

std::pair<int64_t, int64_t> find_tile_shape(const Workload& workload) {
  const int64_t size = workload.grid.size();
  if (workload.grid.axes() != 1 || size < 4) return {0, 0};
  // Along a row of tiles one array's origin stands still and another's repeats after a row: the period of either is the
  // row's length.
  for (int16_t array = 0; array < static_cast<int16_t>(workload.arrays.size()); ++array) {
    const int64_t start = first_origin(workload, 0, array);
    if (start < 0) continue;
    const bool stands = first_origin(workload, 1, array) == start;
    int64_t columns = 1;
    while (columns < size && (first_origin(workload, columns, array) == start) == stands) ++columns;
    if (columns <= 1 || columns >= size || size % columns != 0) continue;
    bool holds = true;
    for (int64_t tile = columns; tile < size && holds; tile += columns) {
      const bool same = first_origin(workload, tile, array) == start;
      holds = stands ? !same && first_origin(workload, tile + 1, array) == first_origin(workload, tile, array) : same;
    }
    if (holds) return {size / columns, columns};
  }
  return {0, 0};
}

}  // namespace swizzleperf

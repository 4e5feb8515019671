// The plane of tiles that a one-dimensional grid stands for, read off the footprints. Private to src/search.
#pragma once

#include <utility>

#include "workload/workload.h"

namespace swizzleperf {

// {rows, columns} such that launch id w works at row w / columns and column w % columns; {0, 0} where the footprints
// show none.
std::pair<int64_t, int64_t> find_tile_shape(const Workload& workload);

}  // namespace swizzleperf

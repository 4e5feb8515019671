// How the linear tile id is put together, read off the footprints: what a map may permute apart.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload.h"

namespace swizzleperf {

struct TileDigits {
  // Mixed radices of the linear tile id, slowest first: the grid's axes, and within an axis the blocks of tiles over
  // which an array's footprint stands still or starts again (rows of a linear grid; the query heads that share a
  // key/value head). Their product is the grid's size. At most four.
  std::vector<int64_t> digits;
  // The digit along which tiles do unequal amounts of work (query blocks under a causal mask); -1: all do the same.
  int uneven = -1;
};

TileDigits find_tile_digits(const Workload& workload);

}  // namespace swizzleperf

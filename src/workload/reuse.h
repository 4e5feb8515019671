// Reuse: which tiles share which bytes of which array, in numbers. Facts of the workload, independent of caches and
// maps.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "workload/workload.h"

namespace swizzleperf {

struct ArrayReuse {
  std::string name;
  int64_t array_bytes = 0;
  int64_t touched_bytes = 0;    // distinct 128-byte lines that the launch touches, in bytes
  int64_t requested_bytes = 0;  // distinct bytes of a tile, times the number of tiles
  double tiles_per_line = 0;    // requested / touched: how many tiles share an average line
  double bytes_per_tile = 0;    // mean distinct bytes of a tile
  bool loaded = false;
  bool stored = false;
  // Fraction of a tile's lines of this array that the next tile along x, y, z touches too (0 where there is no such
  // axis).
  std::array<double, 3> shared_with_next = {0, 0, 0};
};

struct Reuse {
  int64_t tiles = 0;
  std::vector<ArrayReuse> arrays;
};

// touched_bytes is exact; bytes_per_tile, and what follows from it, and shared_with_next are means over at most 64
// tiles spread evenly over the grid.
Reuse analyse_reuse(const Workload& workload);

}  // namespace swizzleperf

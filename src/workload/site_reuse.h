// What each place of a kernel's code does with the lines that it asks for. Facts of the workload, as in reuse.h.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload.h"

namespace swizzleperf {

struct SiteReuse {
  uint8_t site = 0;  // index into Workload::sites
  int16_t array = 0;
  bool stores = false;        // or atomics
  double lines_per_tile = 0;  // distinct 128-byte lines, mean
  double times_per_tile = 0;  // how often an access of a tile asks for one of them, mean
  double tiles_per_line = 0;  // tiles of the launch that ask for a line here, mean
  double seen_before = 0;     // fraction of a tile's lines that other places of the code asked for earlier in the tile
};

// In the order in which the first tile comes by. Means over at most 64 tiles spread evenly over the grid, but for
// tiles_per_line, whose lines are counted over all tiles. Empty where the sites are unknown.
std::vector<SiteReuse> reuse_by_site(const Workload& workload);

}  // namespace swizzleperf

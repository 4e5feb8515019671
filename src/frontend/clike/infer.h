// The workload of a whole grid from footprints of some of its tiles, however these are found: by running a kernel or by
// evaluating its IR. Private to the front ends.
#pragma once

#include <vector>

#include "frontend/clike/trace.h"

namespace swizzleperf {

class TileTracer {
 public:
  virtual ~TileTracer() = default;
  // The tiles' footprints, in the order asked for. `prefix` > 0: each may stop after so many coalesced segments;
  // TracedTile::complete says whether it did.
  virtual Expected<std::vector<TracedTile>> run(const std::vector<int64_t>& tiles, int64_t prefix) const = 0;
};

// An affine fit of full footprints for each class of tiles, checked on other tiles and on the first requests of many
// more, all chosen at random; where it does not hold, every tile of the class is traced. Grid, arrays, footprints and
// where they are from are set; the rest of the workload is the caller's.
Expected<Workload> infer_workload(const TileTracer& tracer, const Grid& grid);

}  // namespace swizzleperf

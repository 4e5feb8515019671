// From a tile of an array to the byte segments that are requested. Private to src/workload/declared*.
#pragma once

#include <map>
#include <vector>

#include "workload/declared_run.h"

namespace swizzleperf::declared {

// A tile that lies inside its array.
struct TileShape {
  std::vector<int64_t> counts;  // elements along each axis
  std::vector<int64_t> wave;    // elements along each axis of one wave instruction; empty: not stated
  int64_t chunk = 0;            // elements of one wave instruction in row-major order; 0: not stated
  auto operator<=>(const TileShape&) const = default;
};

// Offsets from the tile's first element. Without wave and chunk every byte is requested once, and neighbouring bytes
// are one segment; with them, each wave instruction has its own segments, in ascending order.
Pattern tile_pattern(const Array& array, const TileShape& shape);

// A gather: `elements[i]` along `axis` instead of a range; offsets from the array's first element. A wave instruction
// of `shape.chunk` elements has one segment for each 128 B that its elements fall into.
Pattern gather_pattern(const Array& array, const TileShape& shape, const std::vector<int64_t>& origin, size_t axis,
                       const std::vector<int64_t>& elements);

}  // namespace swizzleperf::declared

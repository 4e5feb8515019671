// The named families of maps, each emitted as a program of the map language for a grid and an XCD count.
#pragma once

#include <string>
#include <vector>

#include "swizzle/expr.h"

namespace swizzleperf {

struct FamilyMember {
  std::string name;         // "xcd_balanced", "grouped_rows(8)", "xcd_balanced.grouped_rows(8)"
  std::string map;          // text in the map language
  bool every_grid = false;  // a bijection for every grid of this many axes and every num_xcds: may be emitted unguarded
};

struct FamilyRequest {
  Grid grid;
  int64_t num_xcds = 1;  // 1: families that only distribute over XCDs are left out
  // Tile rows x columns that a 1-D grid stands for, where the workload shows it (0 = unknown): then the window families
  // are also emitted on the linear id, w -> (w / columns, w % columns).
  int64_t tile_rows = 0;
  int64_t tile_columns = 0;
  // Mixed-radix digits of a linear id, slowest first, where known (attention: batch, kv head, head in group, query
  // block).
  std::vector<int64_t> digits = {};
};

// Every family with every parameter worth trying on this grid; the identity first. Windows and chunks are powers of
// two, the divisors of the extents and their neighbours up to the extent.
std::vector<FamilyMember> enumerate_families(const FamilyRequest& request);

}  // namespace swizzleperf

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
  int rank = 0;  // how unusual the parameters are (0: none): what to leave out first where not all can be tried
};

struct FamilyRequest {
  Grid grid;
  int64_t num_xcds = 1;  // 1: families that only distribute over XCDs are left out
  // Tile rows x columns that a 1-D grid stands for, where the workload shows it (0 = unknown): then the window families
  // are also emitted on the linear id, w -> (w / columns, w % columns).
  int64_t tile_rows = 0;
  int64_t tile_columns = 0;
  // Mixed-radix digits of the linear tile id, slowest first, where known (attention: batch, kv head, head in group,
  // query block); their product is the grid's size.
  std::vector<int64_t> digits = {};
  // The digit whose values mean unequal work, -1: none. It is also walked backwards and folded, which evens out what
  // runs at the end.
  int uneven_digit = -1;
};

// Every family with every parameter worth trying on this grid; the identity first. Windows and chunks are powers of
// two, the divisors of the extents and their neighbours up to the extent.
std::vector<FamilyMember> enumerate_families(const FamilyRequest& request);

}  // namespace swizzleperf

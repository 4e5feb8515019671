// depends: swizzleperf_swizzle
// Any text: an error or a program that prints, parses back to itself, and evaluates to tiles inside the grid or a
// fault.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "swizzle/swizzle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swizzleperf;
  const auto expr = SwizzleExpr::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!expr) return 0;
  const auto again = SwizzleExpr::parse(expr->text());
  if (!again || again->text() != expr->text()) std::abort();
  for (const Grid& grid : {Grid{37}, Grid{7, 5}, Grid{3, 4, 2}}) {
    const auto tiles = evaluate_map(*expr, grid, {{"num_xcds", 8}, {"cus_per_xcd", 38}});
    const auto same = evaluate_map(*again, grid, {{"num_xcds", 8}, {"cus_per_xcd", 38}});
    if (tiles.has_value() != same.has_value()) std::abort();
    if (!tiles) continue;
    if (*tiles != *same) std::abort();
    for (const int32_t tile : *tiles) {
      if (tile < -1 || tile >= grid.size()) std::abort();
    }
  }
  return 0;
}

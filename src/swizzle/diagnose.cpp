#include "swizzle/diagnose.h"

#include <fmt/format.h>

namespace swizzleperf {
namespace {

constexpr int64_t kMostWorkgroups = int64_t{1} << 31;  // over all grids tried: some 20 seconds
constexpr int64_t kMostCubeWorkgroups = int64_t{1} << 20;

std::vector<Grid> other_grids(const Grid& grid, int64_t up_to) {
  std::vector<Grid> grids;
  for (int64_t n = 1; n <= up_to; ++n) {
    grids.push_back({n, grid.y, grid.z});
    if (grid.axes() >= 2) grids.push_back({grid.x, n, grid.z});
    if (grid.axes() == 3) grids.push_back({grid.x, grid.y, n});
    const Grid even{n, n, grid.axes() == 3 ? n : 1};
    if (grid.axes() >= 2 && even.size() <= kMostCubeWorkgroups) grids.push_back(even);
  }
  return grids;
}

}  // namespace

Expected<FailingGrids> failing_grids(const SwizzleExpr& expr, const Grid& grid, const Sizes& sizes, int64_t up_to) {
  if (up_to < 1 || up_to > 65536) return user_error("--up-to must be 1 to 65536");
  FailingGrids result;
  const auto grids = other_grids(grid, up_to);
  int64_t work = 0;
  for (const Grid& one : grids) work += one.size();
  if (work > kMostWorkgroups)
    return user_error(fmt::format("--up-to {} would try {} workgroups, more than 2^31", up_to, work), {},
                      "give a smaller --up-to or --grid");
  for (const Grid& one : grids) {
    ++result.tried;
    const auto tiles = evaluate_map(expr, one, sizes);
    if (tiles && inspect_map(one, *tiles).bijective) continue;
    ++result.failing;
    if (result.examples.size() < 8) result.examples.push_back(one);
  }
  return result;
}

}  // namespace swizzleperf

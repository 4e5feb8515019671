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

struct KnownForm {
  const char* wrong;
  const char* right;
  const char* reason;
};

constexpr const char* kBalanced =
    "x = wg % num_xcds; pid = x * (num_wgs / num_xcds) + min(x, num_wgs % num_xcds) + wg / num_xcds";

std::optional<std::vector<int32_t>> tiles_of(const std::string& text, const Grid& grid, int64_t num_xcds) {
  const auto expr = SwizzleExpr::parse(text);
  if (!expr) return std::nullopt;
  auto tiles = evaluate_map(*expr, grid, {{"num_xcds", num_xcds}});
  if (!tiles) return std::nullopt;
  return std::move(*tiles);
}

std::optional<Suggestion> proven(const std::string& reason, const std::string& map, const Grid& grid,
                                 int64_t num_xcds) {
  const auto tiles = tiles_of(map, grid, num_xcds);
  if (!tiles || !inspect_map(grid, *tiles).bijective) return std::nullopt;
  return Suggestion{reason, map};
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

std::optional<Suggestion> suggest(const Grid& grid, const std::vector<int32_t>& tiles, int64_t num_xcds) {
  static constexpr KnownForm kForms[] = {
      {"pid = wg % num_xcds * (num_wgs / num_xcds) + wg / num_xcds", kBalanced,
       "this is the floor form, right only where num_xcds divides num_wgs: use the balanced form"},
      {"pid = wg % num_xcds * ceil_div(num_wgs, num_xcds) + wg / num_xcds", kBalanced,
       "this is the ceil form, right only where num_xcds divides num_wgs: use the balanced form"},
  };
  for (const KnownForm& form : kForms) {
    if (tiles_of(form.wrong, grid, num_xcds) == tiles) return proven(form.reason, form.right, grid, num_xcds);
  }
  for (int64_t chunk = 2; chunk <= 4096 && chunk <= grid.size(); chunk *= 2) {
    const std::string wrong =
        fmt::format("l = wg / num_xcds; pid = l / {0} * ({0} * num_xcds) + wg % num_xcds * {0} + l % {0}", chunk);
    if (tiles_of(wrong, grid, num_xcds) != tiles) continue;
    return proven(fmt::format("this deals chunks of {} without a guard for the last ones: guard the tail", chunk),
                  fmt::format("b = {0} * num_xcds; l = wg / num_xcds; pid = wg < num_wgs / b * b ? l / {0} * b + wg % "
                              "num_xcds * {0} + l % {0} : wg",
                              chunk),
                  grid, num_xcds);
  }
  return std::nullopt;
}

}  // namespace swizzleperf

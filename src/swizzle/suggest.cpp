// Suggestions of `swizzleperf check`: recognises what a map does, not how it is written.
#include <fmt/format.h>

#include <algorithm>

#include "swizzle/diagnose.h"
#include "swizzle/program.h"

namespace swizzleperf {
namespace {

// What the rules look at.
struct Failing {
  const SwizzleExpr& expr;
  const Grid& grid;
  const std::vector<int32_t>& tiles;
  int64_t num_xcds;
  const Sizes& sizes;
  int64_t size() const { return grid.size(); }
  int64_t tile(int64_t wg) const { return tiles[static_cast<size_t>(wg)]; }
};

std::optional<Suggestion> proven(const Failing& map, std::string reason, const std::string& text) {
  const auto expr = SwizzleExpr::parse(text);
  if (!expr) return std::nullopt;
  Sizes sizes = map.sizes;
  sizes["num_xcds"] = map.num_xcds;
  const auto tiles = evaluate_map(*expr, map.grid, sizes);
  if (!tiles || !inspect_map(map.grid, *tiles).bijective) return std::nullopt;
  return Suggestion{std::move(reason), text};
}

// Every XCD works through consecutive tiles, but the ranges overlap, leave gaps or run out of the grid.
std::optional<Suggestion> contiguous(const Failing& map) {
  const int64_t xcds = map.num_xcds;
  if (xcds < 2 || map.size() < 2 * xcds) return std::nullopt;
  int64_t steps = 0;
  for (int64_t wg = 0; wg + xcds < map.size(); ++wg) {
    if (map.tile(wg) < 0 || map.tile(wg + xcds) < 0) continue;
    if (map.tile(wg + xcds) != map.tile(wg) + 1) return std::nullopt;
    ++steps;
  }
  if (steps == 0) return std::nullopt;
  const int64_t second = map.tile(1) - map.tile(0);  // where XCD 1 begins
  const int64_t floor = map.size() / xcds, ceil = (map.size() + xcds - 1) / xcds;
  const std::string form = second == floor ? "this is the floor form, right only where num_xcds divides num_wgs"
                           : second == ceil
                               ? "this is the ceil form, right only where num_xcds divides num_wgs"
                               : "every XCD takes consecutive tiles, but their ranges do not add up to the grid";
  return proven(map, form + ": use the balanced form",
                "x = wg % num_xcds; pid = x * (num_wgs / num_xcds) + min(x, num_wgs % num_xcds) + wg / num_xcds");
}

// Chunks of consecutive tiles are dealt to the XCDs in turn; the complete rounds are right, the rest is not.
std::optional<Suggestion> chunked(const Failing& map) {
  const int64_t xcds = map.num_xcds;
  if (xcds < 2) return std::nullopt;
  int64_t chunk = 0;
  while (chunk * xcds < map.size() && map.tile(chunk * xcds) == chunk) ++chunk;
  const int64_t round = chunk * xcds;
  if (chunk < 2 || round > map.size()) return std::nullopt;
  for (int64_t wg = 0; wg < map.size() / round * round; ++wg) {
    const int64_t l = wg / xcds;
    if (map.tile(wg) != l / chunk * round + wg % xcds * chunk + l % chunk) return std::nullopt;
  }
  return proven(
      map,
      fmt::format("this deals chunks of {} consecutive tiles and goes wrong behind the last complete round: deal "
                  "the rest evenly",
                  chunk),
      fmt::format("c = num_xcds * {0}; b = num_wgs / c * c; x = wg % num_xcds; l = wg / num_xcds; u = num_wgs "
                  "- b; v = wg - b; pid = wg < b ? l / {0} * c + x * {0} + l % {0} : b + v % num_xcds * (u / "
                  "num_xcds) + min(v % num_xcds, u % num_xcds) + v / num_xcds",
                  chunk));
}

// Groups of rows (or columns) walked across: right but for the last group, which is not as high as the others.
std::optional<Suggestion> grouped(const Failing& map, bool rows) {
  if (map.grid.axes() != 2) return std::nullopt;
  const int64_t slow = rows ? map.grid.y : map.grid.x, fast = rows ? map.grid.x : map.grid.y;
  const auto tile_at = [&](int64_t s, int64_t f) { return rows ? linear(map.grid, {f, s}) : linear(map.grid, {s, f}); };
  int64_t window = 0;
  while (window < slow && map.tile(window) == tile_at(window, 0)) ++window;
  if (window < 2 || window >= slow) return std::nullopt;
  for (int64_t wg = 0; wg < slow / window * window * fast; ++wg) {
    const int64_t inside = wg % (window * fast);
    if (map.tile(wg) != tile_at(wg / (window * fast) * window + inside % window, inside / window)) return std::nullopt;
  }
  const char* const slow_name = rows ? "grid_y" : "grid_x";
  const char* const fast_name = rows ? "grid_x" : "grid_y";
  return proven(
      map,
      fmt::format("this walks groups of {0} {1} and goes wrong in the last one, which has only {2}: take its own "
                  "height",
                  window, rows ? "rows" : "columns", slow % window),
      fmt::format("g = wg / ({0} * {1}) * {0}; h = min({2} - g, {0}); m = wg % ({0} * {1}); {3} = g + m % h; {4} "
                  "= m / h",
                  window, fast_name, slow_name, rows ? "pid_y" : "pid_x", rows ? "pid_x" : "pid_y"));
}

// Launches that stay in the grid permute among themselves, as with xor on a grid that is no power of two: the others
// can keep their own tile.
std::optional<Suggestion> closed(const Failing& map) {
  if (!map.expr.program().linear_result) return std::nullopt;
  int64_t leaving = 0;
  for (int64_t wg = 0; wg < map.size(); ++wg) {
    leaving += map.tile(wg) < 0 ? 1 : 0;
    if (map.tile(wg) >= 0 && map.tile(map.tile(wg)) < 0) return std::nullopt;
  }
  if (leaving == 0 || 2 * leaving > map.size()) return std::nullopt;
  return proven(map,
                "some launches leave the grid, and the others permute among themselves: let those keep their own tile",
                map.expr.text() + "; pid = pid >= 0 && pid < num_wgs ? pid : wg");
}

}  // namespace

std::optional<Suggestion> suggest(const SwizzleExpr& expr, const Grid& grid, const std::vector<int32_t>& tiles,
                                  const Sizes& sizes) {
  const auto xcds = sizes.find("num_xcds");
  const Failing map{expr, grid, tiles, xcds == sizes.end() ? 1 : xcds->second, sizes};
  if (auto found = contiguous(map)) return found;
  if (auto found = grouped(map, true)) return found;
  if (auto found = grouped(map, false)) return found;
  if (auto found = chunked(map)) return found;
  return closed(map);
}

}  // namespace swizzleperf

#include "search/recognise.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "swizzle/families.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

constexpr int64_t kMostTiles = int64_t{1} << 18;

// The rank of each tile's first load of an array among the distinct ones; nothing where a tile has none.
struct Ranks {
  std::vector<int64_t> of_tile;
  int64_t distinct = 0;
};

std::optional<Ranks> rank_tiles(const Workload& workload, int16_t array) {
  std::vector<int64_t> origins;
  for (int64_t tile = 0; tile < workload.grid.size(); ++tile) {
    const auto t = static_cast<size_t>(tile);
    int64_t origin = -1;
    for (int64_t a = workload.phase_begin[static_cast<size_t>(workload.tile_begin[t])];
         a < workload.phase_begin[static_cast<size_t>(workload.tile_begin[t + 1])] && origin < 0; ++a) {
      const Access& access = workload.accesses[static_cast<size_t>(a)];
      const bool loads = access.kind == AccessKind::kLoad || access.kind == AccessKind::kScalarLoad;
      if (loads && access.array == array) origin = access.origin;
    }
    if (origin < 0) return std::nullopt;
    origins.push_back(origin);
  }
  std::map<int64_t, int64_t> ranks;
  for (const int64_t origin : origins) ranks.emplace(origin, 0);
  int64_t next = 0;
  for (auto& [origin, rank] : ranks) rank = next++;
  for (int64_t& origin : origins) origin = ranks.at(origin);
  return Ranks{std::move(origins), next};
}

// The tile in the plane of `rows` and `columns` for each launch id; nothing where they do not span one.
std::optional<std::vector<int32_t>> place_tiles(const Ranks& rows, const Ranks& columns) {
  const auto size = static_cast<int64_t>(rows.of_tile.size());
  if (rows.distinct < 2 || columns.distinct < 2 || rows.distinct * columns.distinct != size) return std::nullopt;
  std::vector<int32_t> tiles;
  std::vector<bool> taken(rows.of_tile.size());
  for (size_t i = 0; i < rows.of_tile.size(); ++i) {
    const auto tile = static_cast<size_t>(rows.of_tile[i] * columns.distinct + columns.of_tile[i]);
    if (taken[tile]) return std::nullopt;
    taken[tile] = true;
    tiles.push_back(static_cast<int32_t>(tile));
  }
  return tiles;
}

std::string family_of(const std::vector<int32_t>& tiles, const ExistingOrder& plane, const GpuSpec& gpu) {
  const Grid grid = {static_cast<int64_t>(tiles.size())};
  const FamilyRequest request{.grid = grid,
                              .num_xcds = gpu.dispatch == Dispatch::kRoundRobin ? gpu.domains : 1,
                              .tile_rows = plane.rows,
                              .tile_columns = plane.columns};
  for (const FamilyMember& member : enumerate_families(request)) {
    const auto expr = SwizzleExpr::parse(member.map);
    if (!expr) continue;
    const auto order = evaluate_map(*expr, grid, {{"num_xcds", gpu.domains}});
    if (order && *order == tiles) return member.name;
  }
  return "";
}

}  // namespace

ExistingOrder recognise_order(const Workload& workload, const GpuSpec& gpu) {
  ExistingOrder result;
  if (workload.grid.size() < 4 || workload.grid.size() > kMostTiles) return result;
  std::vector<Ranks> ranks;
  for (int16_t array = 0; array < static_cast<int16_t>(workload.arrays.size()); ++array) {
    if (auto found = rank_tiles(workload, array)) ranks.push_back(std::move(*found));
  }
  for (size_t a = 0; a < ranks.size(); ++a) {
    for (size_t b = a + 1; b < ranks.size(); ++b) {
      const auto tiles = place_tiles(ranks[a], ranks[b]);
      if (!tiles) continue;
      result.known = true;
      result.rows = ranks[a].distinct;
      result.columns = ranks[b].distinct;
      result.family = family_of(*tiles, result, gpu);
      result.plain = result.family == "identity" || result.family == "columns.rows";
      return result;
    }
  }
  return result;
}

std::string describe(const ExistingOrder& order) {
  if (!order.known || order.plain) return "";
  const std::string plane = fmt::format("its {} x {} tiles are walked ", order.rows, order.columns);
  if (order.family.empty()) return plane + "in an order of the kernel's own: it swizzles already";
  return plane + fmt::format("as {}: the kernel swizzles already", order.family);
}

}  // namespace swizzleperf

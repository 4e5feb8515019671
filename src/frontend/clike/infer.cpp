// The workload of a whole grid from traces of a few tiles: classes of tiles, an affine fit within each, checked on
// others.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <random>
#include <set>

#include "frontend/clike/fit.h"
#include "frontend/clike/trace.h"

namespace swizzleperf {
namespace {

constexpr int64_t kPrefixTiles = 16384;  // up to this grid every tile's first requests are traced
constexpr int64_t kPrefixRequests = 48;  // of a tile: the first loads of a kernel show where its tile lies
constexpr size_t kChecks = 4;            // tiles of a class that are traced only to check the fit
constexpr size_t kSmallClass = 6;        // classes up to this size are traced whole
constexpr int64_t kMaxTracedTiles = 200'000;

class Tracer {
 public:
  Tracer(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes, const TraceLimits& limits)
      : kernel_(kernel), instance_(instance), wave_lanes_(wave_lanes), limits_(limits) {}

  // Traces tiles in two child processes at a time; the answer is in the order asked for.
  Expected<std::vector<TracedTile>> run(const std::vector<int64_t>& tiles, int64_t prefix) const {
    const size_t half = (tiles.size() + 1) / 2;
    const auto part = [&](size_t begin, size_t end) -> Expected<std::vector<TracedTile>> {
      if (begin >= end) return std::vector<TracedTile>();
      return trace_tiles(
          kernel_, instance_,
          {{tiles.begin() + static_cast<long>(begin), tiles.begin() + static_cast<long>(end)}, prefix, wave_lanes_},
          limits_);
    };
    auto second = std::async(std::launch::async, part, half, tiles.size());
    auto first = part(0, half);
    auto rest = second.get();
    if (!first) return first;
    if (!rest) return rest;
    std::move(rest->begin(), rest->end(), std::back_inserter(*first));
    return first;
  }

 private:
  const TracedKernel& kernel_;
  const CaseInstance& instance_;
  int64_t wave_lanes_;
  const TraceLimits& limits_;
};

// Where a tile stands on an axis: at the start, inside, at the end. Masks and halos differ there.
int position_class(const Grid& grid, int64_t tile) {
  const Coordinate at = coordinate(grid, tile);
  const auto one = [](int64_t v, int64_t extent) { return v == 0 ? 0 : v + 1 == extent ? 2 : 1; };
  return one(at.x, grid.x) + 3 * one(at.y, grid.y) + 9 * one(at.z, grid.z);
}

struct TileClass {
  std::vector<int64_t> tiles;
};

// Tiles of equal position and equal structure of their first requests; their features.
struct Classified {
  std::vector<TileClass> classes;
  FeatureTable features;
};

Expected<Classified> classify(const Tracer& tracer, const Grid& grid) {
  Classified result{.classes = {}, .features = FeatureTable(grid)};
  std::map<std::pair<int, uint64_t>, size_t> known;
  std::vector<uint64_t> structure(static_cast<size_t>(grid.size()), 0);
  if (grid.size() <= kPrefixTiles && grid.size() > 64) {
    std::vector<int64_t> all(static_cast<size_t>(grid.size()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    const auto prefixes = tracer.run(all, kPrefixRequests);
    if (!prefixes) return tl::unexpected(prefixes.error());
    for (size_t i = 0; i < all.size(); ++i) structure[i] = structure_hash((*prefixes)[i].footprint, 2);
    result.features.add_prefixes(*prefixes);
  }
  for (int64_t tile = 0; tile < grid.size(); ++tile) {
    const auto key = std::pair(position_class(grid, tile), structure[static_cast<size_t>(tile)]);
    const auto [found, added] = known.try_emplace(key, result.classes.size());
    if (added) result.classes.emplace_back();
    result.classes[found->second].tiles.push_back(tile);
  }
  return result;
}

// What is traced of a class: the basis of its fit, and tiles to check it on.
struct Plan {
  std::vector<int64_t> basis;
  std::vector<int64_t> checks;
};

Plan plan_class(const TileClass& one, const FeatureTable& features, std::mt19937_64& random) {
  if (one.tiles.size() <= kSmallClass) return {one.tiles, {}};
  Plan plan;
  plan.basis = features.choose_basis(one.tiles);
  std::set<int64_t> chosen(plan.basis.begin(), plan.basis.end());
  for (const int64_t tile : {one.tiles.front(), one.tiles.back()}) {
    if (chosen.insert(tile).second) plan.checks.push_back(tile);
  }
  while (plan.checks.size() < kChecks && chosen.size() < one.tiles.size()) {
    const int64_t tile = one.tiles[random() % one.tiles.size()];
    if (chosen.insert(tile).second) plan.checks.push_back(tile);
  }
  return plan;
}

// The footprints of a class by its fit, or nothing where the fit does not hold.
std::optional<std::vector<std::pair<int64_t, Workload>>> fit_class(const TileClass& one, const Plan& plan,
                                                                   const FeatureTable& features,
                                                                   const std::map<int64_t, const Workload*>& traced) {
  std::vector<std::pair<int64_t, Workload>> result;
  if (plan.basis.size() == one.tiles.size()) {
    for (const int64_t tile : one.tiles) result.emplace_back(tile, *traced.at(tile));
    return result;
  }
  std::vector<const Workload*> basis;
  for (const int64_t tile : plan.basis) basis.push_back(traced.at(tile));
  const auto fit = features.fit(plan.basis, basis);
  if (!fit) return std::nullopt;
  for (const int64_t tile : plan.checks) {
    const auto predicted = fit->origins(tile);
    if (!predicted || !same_footprint(*traced.at(tile), *basis.front(), *predicted)) return std::nullopt;
  }
  for (const int64_t tile : one.tiles) {
    const auto origins = fit->origins(tile);
    if (!origins) return std::nullopt;
    Workload footprint;
    footprint.accesses = basis.front()->accesses;
    for (size_t i = 0; i < origins->size(); ++i) footprint.accesses[i].origin = (*origins)[i];
    result.emplace_back(tile, std::move(footprint));
  }
  return result;
}

Expected<Workload> assemble_all(const Tracer& tracer, const Workload& shape, const std::vector<TileClass>& unfitted,
                                WorkloadBuilder& builder) {
  std::vector<int64_t> tiles;
  for (const auto& one : unfitted) tiles.insert(tiles.end(), one.tiles.begin(), one.tiles.end());
  if (static_cast<int64_t>(tiles.size()) > kMaxTracedTiles) {
    return unsupported(
        fmt::format("the accesses of {} workgroups follow no affine rule, and tracing each would take too long",
                    tiles.size()),
        {}, "use a smaller variant of the case");
  }
  constexpr size_t kBatch = 4096;
  for (size_t begin = 0; begin < tiles.size(); begin += kBatch) {
    const std::vector<int64_t> batch(tiles.begin() + static_cast<long>(begin),
                                     tiles.begin() + static_cast<long>(std::min(begin + kBatch, tiles.size())));
    const auto traced = tracer.run(batch, 0);
    if (!traced) return tl::unexpected(traced.error());
    for (const auto& tile : *traced) builder.set(tile.tile, tile.footprint, tile.footprint);
  }
  return builder.finish(shape);
}

}  // namespace

Expected<Workload> trace_workload(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes,
                                  const TraceLimits& limits) {
  const Tracer tracer(kernel, instance, wave_lanes, limits);
  const auto classified = classify(tracer, instance.grid);
  if (!classified) return tl::unexpected(classified.error());
  std::mt19937_64 random(20260101);  // fixed: the same case gives the same answer
  std::vector<Plan> plans;
  std::vector<int64_t> wanted;
  for (const auto& one : classified->classes) {
    plans.push_back(plan_class(one, classified->features, random));
    wanted.insert(wanted.end(), plans.back().basis.begin(), plans.back().basis.end());
    wanted.insert(wanted.end(), plans.back().checks.begin(), plans.back().checks.end());
  }
  const auto traced = tracer.run(wanted, 0);
  if (!traced) return tl::unexpected(traced.error());
  std::map<int64_t, const Workload*> footprints;
  for (const auto& tile : *traced) footprints[tile.tile] = &tile.footprint;

  WorkloadBuilder builder(instance.grid);
  std::vector<TileClass> unfitted;
  size_t checks = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    const auto fitted = fit_class(classified->classes[i], plans[i], classified->features, footprints);
    if (!fitted) {
      unfitted.push_back(classified->classes[i]);
      continue;
    }
    checks += plans[i].checks.size();
    for (const auto& [tile, footprint] : *fitted)
      builder.set(
          tile, footprint,
          *footprints.at(plans[i].basis.size() == classified->classes[i].tiles.size() ? tile : plans[i].basis.front()));
  }
  auto workload = assemble_all(tracer, traced->front().footprint, unfitted, builder);
  if (!workload) return workload;
  workload->grid = instance.grid;
  workload->flops = instance.flops;
  workload->flops_dtype = instance.flops_dtype;
  workload->flops_matrix = instance.flops_matrix;
  workload->footprint_source = unfitted.empty()
                                   ? fmt::format("{} workgroups traced: affine in {} classes, checked on {} others",
                                                 wanted.size() - checks, plans.size(), checks)
                                   : "workgroups traced one by one: no affine rule holds";
  return workload;
}

}  // namespace swizzleperf

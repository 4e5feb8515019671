// The workload of a whole grid from traces of a few tiles: classes of tiles, an affine fit within each, checked on
// others.
#include "frontend/clike/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <random>
#include <set>

#include "frontend/clike/fit.h"

namespace swizzleperf {
namespace {

constexpr int64_t kPrefixTiles = 65536;  // up to this grid every tile's first requests are traced
constexpr int64_t kPrefixRequests = 48;  // of a tile: the first loads of a kernel show where its tile lies
constexpr size_t kChecks = 3;            // tiles of a class that are traced only to check the fit
constexpr int64_t kPrefixChecks = 512;   // tiles whose first requests are compared with the fit
constexpr size_t kSmallClass = 6;        // classes up to this size are traced whole
constexpr int64_t kMaxTracedTiles = 200'000;

using Tracer = TileTracer;

// Runs a compiled kernel.
class KernelTracer : public TileTracer {
 public:
  KernelTracer(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes, const TraceLimits& limits)
      : kernel_(kernel), instance_(instance), wave_lanes_(wave_lanes), limits_(limits) {}

  // Traces tiles in two child processes at a time; the answer is in the order asked for.
  Expected<std::vector<TracedTile>> run(const std::vector<int64_t>& tiles, int64_t prefix) const override {
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

// How tiles are told apart. Each way costs more than the one before and is tried where that one does not fit.
enum class Division {
  kNone,       // all tiles are alike
  kPosition,   // by their position on the grid's edges
  kStructure,  // and by the structure of their first requests, whose origins become features (linearised ids)
};

// Tiles of a class, and what their origins are fitted over.
struct Classified {
  std::vector<TileClass> classes;
  FeatureTable features;
};

Expected<Classified> classify(const Tracer& tracer, const Grid& grid, Division division) {
  Classified result{.classes = {}, .features = FeatureTable(grid)};
  std::map<std::pair<int, uint64_t>, size_t> known;
  std::vector<uint64_t> structure(static_cast<size_t>(grid.size()), 0);
  if (division == Division::kStructure) {
    std::vector<int64_t> all(static_cast<size_t>(grid.size()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    const auto prefixes = tracer.run(all, kPrefixRequests);
    if (!prefixes) return tl::unexpected(prefixes.error());
    for (size_t i = 0; i < all.size(); ++i) structure[i] = structure_hash((*prefixes)[i].footprint, 2);
    result.features.add_prefixes(*prefixes);
  }
  for (int64_t tile = 0; tile < grid.size(); ++tile) {
    const auto key =
        std::pair(division == Division::kNone ? 0 : position_class(grid, tile), structure[static_cast<size_t>(tile)]);
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

Plan plan_class(const TileClass& one, const FeatureTable& features, const Grid& grid, std::mt19937_64& random) {
  if (one.tiles.size() <= kSmallClass) return {one.tiles, {}};
  // Far tiles first: a basis of corners leaves the opposite corner as the hardest check.
  std::vector<int64_t> order = {one.tiles.front()};
  for (const Coordinate& corner :
       {Coordinate{grid.x - 1, 0, 0}, Coordinate{0, grid.y - 1, 0}, Coordinate{0, 0, grid.z - 1}}) {
    const int64_t tile = linear(grid, corner);
    if (std::binary_search(one.tiles.begin(), one.tiles.end(), tile)) order.push_back(tile);
  }
  order.insert(order.end(), one.tiles.begin(), one.tiles.end());
  Plan plan;
  plan.basis = features.choose_basis(order);
  std::set<int64_t> chosen(plan.basis.begin(), plan.basis.end());
  for (const int64_t tile : {one.tiles.back(), one.tiles.front()}) {
    if (plan.checks.size() < kChecks && chosen.insert(tile).second) plan.checks.push_back(tile);
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
                                                                   const std::map<int64_t, Workload>& traced) {
  std::vector<std::pair<int64_t, Workload>> result;
  if (plan.basis.size() == one.tiles.size()) {
    for (const int64_t tile : one.tiles) result.emplace_back(tile, traced.at(tile));
    return result;
  }
  std::vector<const Workload*> basis;
  for (const int64_t tile : plan.basis) basis.push_back(&traced.at(tile));
  const auto fit = features.fit(plan.basis, basis);
  if (!fit) return std::nullopt;
  for (const int64_t tile : plan.checks) {
    const auto predicted = fit->origins(tile);
    if (!predicted || !same_footprint(traced.at(tile), *basis.front(), *predicted)) return std::nullopt;
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

// One attempt: a division of the tiles, what was traced for it, and the classes that fit.
struct Attempt {
  Classified classified;
  std::vector<Plan> plans;
  std::vector<std::vector<std::pair<int64_t, Workload>>> fitted;  // by class; empty where the fit does not hold
  bool complete = false;
};

Expected<Attempt> attempt(const Tracer& tracer, const Grid& grid, Division division,
                          std::map<int64_t, Workload>& traced) {
  auto classified = classify(tracer, grid, division);
  if (!classified) return tl::unexpected(classified.error());
  Attempt result{.classified = std::move(*classified)};
  std::mt19937_64 random(20260101);  // fixed: the same case gives the same answer
  std::vector<int64_t> wanted;
  for (const auto& one : result.classified.classes) {
    result.plans.push_back(plan_class(one, result.classified.features, grid, random));
    for (const auto* list : {&result.plans.back().basis, &result.plans.back().checks}) {
      std::copy_if(list->begin(), list->end(), std::back_inserter(wanted),
                   [&](int64_t tile) { return traced.count(tile) == 0; });
    }
  }
  auto fresh = tracer.run(wanted, 0);
  if (!fresh) return tl::unexpected(fresh.error());
  for (auto& tile : *fresh) traced[tile.tile] = std::move(tile.footprint);
  result.complete = true;
  for (size_t i = 0; i < result.plans.size(); ++i) {
    auto fitted = fit_class(result.classified.classes[i], result.plans[i], result.classified.features, traced);
    result.complete = result.complete && fitted.has_value();
    result.fitted.push_back(fitted ? std::move(*fitted) : std::vector<std::pair<int64_t, Workload>>());
    if (!fitted && division == Division::kNone) break;
  }
  return result;
}

// The first requests of many more tiles, against the fit: cheap, and finds tiles that differ where few do.
Expected<bool> prefixes_agree(const Tracer& tracer, const Attempt& last, const std::map<int64_t, Workload>& traced,
                              const Grid& grid) {
  std::mt19937_64 random(20260102);
  std::set<int64_t> sample;
  while (sample.size() < static_cast<size_t>(std::min(kPrefixChecks, grid.size())))
    sample.insert(static_cast<int64_t>(random() % static_cast<uint64_t>(grid.size())));
  const std::vector<int64_t> tiles(sample.begin(), sample.end());
  const auto prefixes = tracer.run(tiles, kPrefixRequests);
  if (!prefixes) return tl::unexpected(prefixes.error());
  std::map<int64_t, const Workload*> by_tile;
  for (const auto& prefix : *prefixes) by_tile[prefix.tile] = &prefix.footprint;
  for (size_t i = 0; i < last.fitted.size(); ++i) {
    const bool whole = last.plans[i].basis.size() == last.classified.classes[i].tiles.size();
    for (const auto& [tile, footprint] : last.fitted[i]) {
      const auto found = by_tile.find(tile);
      if (found == by_tile.end()) continue;
      const Workload& like = traced.at(whole ? tile : last.plans[i].basis.front());
      if (!starts_with(like, footprint.accesses, *found->second)) return false;
    }
  }
  return true;
}

// Tiles of classes that no rule fits are traced one by one.
Expected<void> trace_unfitted(const Tracer& tracer, const Attempt& last, WorkloadBuilder& builder) {
  std::vector<int64_t> tiles;
  for (size_t i = 0; i < last.fitted.size(); ++i) {
    if (last.fitted[i].empty())
      tiles.insert(tiles.end(), last.classified.classes[i].tiles.begin(), last.classified.classes[i].tiles.end());
  }
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
  return {};
}

std::string describe_source(const Attempt& last, Division division, int64_t tiles) {
  size_t basis = 0, checks = 0;
  int64_t unfitted = 0;
  for (size_t i = 0; i < last.plans.size(); ++i) {
    basis += last.plans[i].basis.size();
    checks += last.plans[i].checks.size();
    if (last.fitted[i].empty()) unfitted += static_cast<int64_t>(last.classified.classes[i].tiles.size());
  }
  if (unfitted == tiles) return fmt::format("no affine rule holds: all {} workgroups traced", tiles);
  const std::string over =
      division == Division::kStructure ? "the first requests of every workgroup" : "the workgroup ids";
  std::string text = fmt::format("affine in {} ({} class{}), fitted on {} traced workgroups, checked on {} others",
                                 over, last.plans.size(), last.plans.size() == 1 ? "" : "es", basis, checks);
  if (division != Division::kStructure)
    text += fmt::format(" and the first requests of {}", std::min(kPrefixChecks, tiles));
  if (unfitted > 0) text += fmt::format("; {} workgroups that follow no rule traced one by one", unfitted);
  return text;
}

}  // namespace

Expected<Workload> infer_workload(const TileTracer& tracer, const Grid& grid) {
  std::map<int64_t, Workload> traced;
  Division division = Division::kNone;
  const auto try_division = [&](Division next) {
    division = next;
    return attempt(tracer, grid, next, traced);
  };
  Expected<Attempt> last = try_division(Division::kNone);
  if (last && !last->complete) last = try_division(Division::kPosition);
  if (last && last->complete) {
    const auto agree = prefixes_agree(tracer, *last, traced, grid);
    if (!agree) return tl::unexpected(agree.error());
    last->complete = *agree;
    if (!*agree) last->fitted.assign(last->fitted.size(), {});  // some tile differs: nothing of the fit is trusted
  }
  if (last && !last->complete && grid.size() <= kPrefixTiles) last = try_division(Division::kStructure);
  if (!last) return tl::unexpected(last.error());

  WorkloadBuilder builder(grid);
  for (size_t i = 0; i < last->fitted.size(); ++i) {
    const bool whole = last->plans[i].basis.size() == last->classified.classes[i].tiles.size();
    for (const auto& [tile, footprint] : last->fitted[i])
      builder.set(tile, footprint, traced.at(whole ? tile : last->plans[i].basis.front()));
  }
  if (auto status = trace_unfitted(tracer, *last, builder); !status) return tl::unexpected(status.error());
  Workload workload = builder.finish(traced.begin()->second);
  workload.footprint_source = describe_source(*last, division, grid.size());
  return workload;
}

Expected<Workload> trace_workload(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes,
                                  const TraceLimits& limits) {
  auto workload = infer_workload(KernelTracer(kernel, instance, wave_lanes, limits), instance.grid);
  if (!workload) return workload;
  workload->flops = instance.flops;
  workload->flops_dtype = instance.flops_dtype;
  workload->flops_matrix = instance.flops_matrix;
  return workload;
}

}  // namespace swizzleperf

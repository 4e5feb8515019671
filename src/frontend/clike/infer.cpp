// The workload of a whole grid from traces of a few tiles: classes of tiles, an affine fit within each, checked on
// others.
#include "frontend/clike/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>

#include "frontend/clike/fit.h"
#include "frontend/clike/growth.h"
#include "frontend/clike/tracer.h"

namespace swizzleperf {
namespace {

constexpr int64_t kPrefixTiles = 65536;  // up to this grid every tile's first requests are traced
constexpr int64_t kPrefixRequests = 48;  // of a tile: the first loads of a kernel show where its tile lies
constexpr size_t kChecks = 3;            // tiles of a class that are traced only to check the fit
constexpr int64_t kPrefixChecks = 512;   // tiles whose first requests are compared with the fit
constexpr size_t kSmallClass = 6;        // classes up to this size are traced whole
constexpr int64_t kMaxTracedTiles = 200'000;

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

// A class by its fit: nothing where the fit does not hold.
std::optional<AffineFit> fit_class(const Plan& plan, const FeatureTable& features, const Tracer& tracer) {
  std::vector<const Workload*> basis;
  for (const int64_t tile : plan.basis) basis.push_back(&tracer.whole(tile));
  auto fit = features.fit(plan.basis, basis);
  if (!fit) return fit;
  for (const int64_t tile : plan.checks) {
    const auto predicted = fit->origins(tile);
    if (!predicted || !same_footprint(tracer.whole(tile), *basis.front(), *predicted)) return std::nullopt;
  }
  return fit;
}

// One attempt: a division of the tiles, and how each class of it is known.
struct Attempt {
  struct Part {
    std::vector<int64_t> tiles;
    Plan plan;
    std::optional<AffineFit> fit;
    bool whole() const { return plan.basis.size() == tiles.size(); }  // every tile of it was traced
    bool known() const { return whole() || fit; }
  };
  FeatureTable features;
  std::vector<Part> parts;
  bool complete() const {
    return std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.known(); });
  }
};

// The fits point to the attempt's features: it stays where it is.
Expected<std::unique_ptr<Attempt>> attempt(Tracer& tracer, const Grid& grid, Division division) {
  auto classified = classify(tracer, grid, division);
  if (!classified) return tl::unexpected(classified.error());
  auto result = std::make_unique<Attempt>(Attempt{.features = std::move(classified->features), .parts = {}});
  std::mt19937_64 random(20260101);  // fixed: the same case gives the same answer
  std::vector<int64_t> wanted;
  for (auto& one : classified->classes) {
    Plan plan = plan_class(one, result->features, grid, random);
    wanted.insert(wanted.end(), plan.basis.begin(), plan.basis.end());
    wanted.insert(wanted.end(), plan.checks.begin(), plan.checks.end());
    result->parts.push_back({.tiles = std::move(one.tiles), .plan = std::move(plan), .fit = std::nullopt});
  }
  if (auto status = tracer.need(wanted); !status) return tl::unexpected(status.error());
  for (auto& part : result->parts) {
    if (!part.whole()) part.fit = fit_class(part.plan, result->features, tracer);
  }
  return result;
}

// Sets the tiles of the classes that are known. False where a fit breaks down on a tile.
bool fill(const Attempt& last, const Tracer& tracer, WorkloadBuilder& builder) {
  for (const auto& part : last.parts) {
    if (!part.known()) continue;
    const Workload& first = tracer.whole(part.plan.basis.front());
    for (const int64_t tile : part.tiles) {
      const Workload& like = part.whole() ? tracer.whole(tile) : first;
      std::vector<Access> accesses = like.accesses;
      if (!part.whole()) {
        const auto origins = part.fit->origins(tile);
        if (!origins) return false;
        for (size_t i = 0; i < accesses.size(); ++i) accesses[i].origin = (*origins)[i];
      }
      builder.set(tile, std::move(accesses), like.phase_begin, like);
    }
  }
  return true;
}

std::vector<int64_t> unknown_tiles(const Attempt& last) {
  std::vector<int64_t> tiles;
  for (const auto& part : last.parts) {
    if (!part.known()) tiles.insert(tiles.end(), part.tiles.begin(), part.tiles.end());
  }
  return tiles;
}

// The first requests of many more tiles, against what was inferred: cheap, and finds tiles that differ where few do.
Expected<bool> prefixes_agree(const Tracer& tracer, const WorkloadBuilder& builder, const Grid& grid) {
  std::mt19937_64 random(20260102);
  std::set<int64_t> sample;
  while (sample.size() < static_cast<size_t>(std::min(kPrefixChecks, grid.size())))
    sample.insert(static_cast<int64_t>(random() % static_cast<uint64_t>(grid.size())));
  const auto prefixes = tracer.run({sample.begin(), sample.end()}, kPrefixRequests);
  if (!prefixes) return tl::unexpected(prefixes.error());
  return std::all_of(prefixes->begin(), prefixes->end(),
                     [&](const TracedTile& prefix) { return builder.starts_with(prefix); });
}

// Tiles that no rule covers are traced one by one.
Expected<void> trace_each(const Tracer& tracer, const std::vector<int64_t>& tiles, WorkloadBuilder& builder) {
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
    for (const auto& tile : *traced) builder.set(tile);
  }
  return {};
}

std::string describe_source(const Attempt& last, Division division, int64_t tiles) {
  size_t basis = 0, checks = 0;
  for (const auto& part : last.parts) {
    basis += part.plan.basis.size();
    checks += part.plan.checks.size();
  }
  const auto unfitted = static_cast<int64_t>(unknown_tiles(last).size());
  if (unfitted == tiles) return fmt::format("no affine rule holds: all {} workgroups traced", tiles);
  const std::string over =
      division == Division::kStructure ? "the first requests of every workgroup" : "the workgroup ids";
  std::string text = fmt::format("affine in {} ({} class{}), fitted on {} traced workgroups, checked on {} others",
                                 over, last.parts.size(), last.parts.size() == 1 ? "" : "es", basis, checks);
  if (division != Division::kStructure)
    text += fmt::format(" and the first requests of {}", std::min(kPrefixChecks, tiles));
  if (unfitted > 0) text += fmt::format("; {} workgroups that follow no rule traced one by one", unfitted);
  return text;
}

// What is known of the whole grid, once a way to infer it has passed its checks.
struct Inferred {
  WorkloadBuilder builder;
  std::string source;
};

// `last_way`: what it does not cover is traced.
Expected<std::optional<Inferred>> infer_by_classes(Tracer& tracer, const Grid& grid, Division division,
                                                   bool last_way = false) {
  const auto last = attempt(tracer, grid, division);
  if (!last) return tl::unexpected(last.error());
  Inferred result{.builder = WorkloadBuilder(grid), .source = describe_source(**last, division, grid.size())};
  if ((!last_way && !(*last)->complete()) || !fill(**last, tracer, result.builder)) return std::nullopt;
  if (auto status = trace_each(tracer, unknown_tiles(**last), result.builder); !status)
    return tl::unexpected(status.error());
  if (division == Division::kStructure) return result;  // made of the first requests of every tile
  const auto agree = prefixes_agree(tracer, result.builder, grid);
  if (!agree) return tl::unexpected(agree.error());
  if (!*agree) return std::nullopt;
  return result;
}

Expected<std::optional<Inferred>> infer_by_growth(Tracer& tracer, const Grid& grid) {
  const auto growth = Growth::find(tracer, grid);
  if (!growth) return tl::unexpected(growth.error());
  Inferred result{.builder = WorkloadBuilder(grid), .source = {}};
  if (!*growth || !(*growth)->fill(result.builder)) return std::nullopt;
  if (auto status = trace_each(tracer, (*growth)->rest(), result.builder); !status)
    return tl::unexpected(status.error());
  const auto agree = prefixes_agree(tracer, result.builder, grid);
  if (!agree) return tl::unexpected(agree.error());
  if (!*agree) return std::nullopt;
  result.source =
      fmt::format("{} and the first requests of {}", (*growth)->describe(), std::min(kPrefixChecks, grid.size()));
  return result;
}

// Every tile, one by one.
Expected<std::optional<Inferred>> infer_nothing(const Tracer& tracer, const Grid& grid) {
  std::vector<int64_t> all(static_cast<size_t>(grid.size()));
  std::iota(all.begin(), all.end(), 0);
  Inferred result{.builder = WorkloadBuilder(grid),
                  .source = fmt::format("no affine rule holds: all {} workgroups traced", grid.size())};
  if (auto status = trace_each(tracer, all, result.builder); !status) return tl::unexpected(status.error());
  return result;
}

// Runs a compiled kernel.
class KernelTracer : public TileTracer {
 public:
  KernelTracer(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes, const TraceLimits& limits)
      : kernel_(kernel), instance_(instance), wave_lanes_(wave_lanes), limits_(limits) {}

  Expected<std::vector<TracedTile>> run(const std::vector<int64_t>& tiles, int64_t prefix) const override {
    // Every second tile, as the long ones often lie together.
    std::array<std::vector<int64_t>, 2> parts;
    for (size_t i = 0; i < tiles.size(); ++i) parts[i % 2].push_back(tiles[i]);
    const auto part = [&](const std::vector<int64_t>& list) -> Expected<std::vector<TracedTile>> {
      if (list.empty()) return std::vector<TracedTile>();
      return trace_tiles(kernel_, instance_, {list, prefix, wave_lanes_}, limits_);
    };
    auto other = std::async(std::launch::async, part, parts[1]);
    auto even = part(parts[0]);
    auto odd = other.get();
    if (!even) return even;
    if (!odd) return odd;
    std::vector<TracedTile> result;
    result.reserve(tiles.size());
    for (size_t i = 0; i < tiles.size(); ++i) result.push_back(std::move((i % 2 == 0 ? *even : *odd).at(i / 2)));
    return result;
  }

 private:
  const TracedKernel& kernel_;
  const CaseInstance& instance_;
  int64_t wave_lanes_;
  const TraceLimits& limits_;
};

}  // namespace

Expected<Workload> infer_workload(const TileTracer& tiles, const Grid& grid) {
  Tracer tracer(tiles);
  auto inferred = infer_by_classes(tracer, grid, Division::kNone);
  if (inferred && !*inferred) inferred = infer_by_growth(tracer, grid);
  const bool prefixes = grid.size() <= kPrefixTiles;
  if (inferred && !*inferred) inferred = infer_by_classes(tracer, grid, Division::kPosition, !prefixes);
  if (inferred && !*inferred && prefixes) inferred = infer_by_classes(tracer, grid, Division::kStructure, true);
  if (inferred && !*inferred) inferred = infer_nothing(tracer, grid);
  if (!inferred) return tl::unexpected(inferred.error());
  if (auto status = tracer.need({0}); !status) return tl::unexpected(status.error());
  Workload workload = (*inferred)->builder.finish(tracer.whole(0));
  workload.order_dependence = tracer.order_dependence();
  workload.footprint_source = std::move((*inferred)->source);
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

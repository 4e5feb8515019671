#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "base/process.h"
#include "search/tile_digits.h"
#include "swizzle/cost.h"

namespace swizzleperf {
namespace {

constexpr int64_t kMapBudget = 64'000'000;  // launch ids evaluated in all: bounds the families on very large grids
constexpr int64_t kSimulationBudget =
    120'000'000;  // object touches simulated in all: one to three seconds on two cores
constexpr size_t kFewestSimulated = 12;

struct Proposal {
  std::string name;
  std::string proposer;
  Swizzle swizzle;
  bool every_grid = false;
  int instructions = 0;
  double cost = 0;
};

uint64_t hash_of(const std::vector<int32_t>& tiles) {
  uint64_t hash = 1469598103934665603ULL;
  for (const int32_t tile : tiles) hash = (hash ^ static_cast<uint64_t>(tile)) * 0x9E3779B97F4A7C15ULL;
  return hash;
}

// On a grid too large to evaluate all members, those with the most usual parameters.
std::vector<FamilyMember> affordable(std::vector<FamilyMember> members, int64_t grid_size) {
  const auto limit = static_cast<size_t>(std::max<int64_t>(24, kMapBudget / grid_size));
  if (members.size() <= limit) return members;
  std::vector<int> ranks;
  for (const auto& member : members) ranks.push_back(member.rank);
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<long>(limit), ranks.end());
  const int highest = ranks[limit];
  std::vector<FamilyMember> kept;
  for (auto& member : members) {
    if (member.rank < highest || (member.rank == highest && kept.size() < limit)) kept.push_back(std::move(member));
  }
  return kept;
}

// Runs work(i) for 0 <= i < count on several threads; results must depend on i alone.
template <class Work>
void parallel_for(size_t count, int threads, Work work) {
  std::atomic<size_t> next{0};
  const auto loop = [&] {
    for (size_t i = next++; i < count && !interrupted(); i = next++) work(i);
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < threads; ++t) pool.emplace_back(loop);
  loop();
  for (auto& thread : pool) thread.join();
}

// A map that is to be proven, and then its proof.
struct Draft {
  std::string name;
  std::string proposer;
  std::string text;
  bool every_grid = false;
  Expected<std::optional<Swizzle>> proof = std::nullopt;
};

// A family's map that is no bijection is a bug; a user's is refused.
Expected<std::optional<Swizzle>> prove_draft(const Draft& draft, const Grid& grid, const Sizes& sizes) {
  const bool user = draft.proposer == "user";
  const auto expr = SwizzleExpr::parse(draft.text, user ? "--map" : draft.name);
  if (!expr) return tl::unexpected(expr.error());
  auto proof = prove(*expr, grid, sizes);
  if (!proof) return tl::unexpected(proof.error());
  if (auto* swizzle = std::get_if<Swizzle>(&*proof)) return std::optional(std::move(*swizzle));
  if (user) {
    return user_error(fmt::format("'{}' is not a bijection on the grid {}", draft.text, to_string(grid)), {"--map"},
                      "`swizzleperf check` shows what it loses");
  }
  return internal_error(fmt::format("the family member {} is not a bijection on {}", draft.name, to_string(grid)));
}

// Keeps each permutation once; it counts as the user's if any of the equal maps is.
Expected<std::vector<Proposal>> distinct(std::vector<Draft> drafts) {
  std::vector<Proposal> proposals;
  std::unordered_map<uint64_t, std::vector<size_t>> known;
  for (Draft& draft : drafts) {
    if (!draft.proof) return tl::unexpected(draft.proof.error());
    if (!*draft.proof) return user_error("interrupted");
    Swizzle& swizzle = **draft.proof;
    auto& bucket = known[hash_of(swizzle.tiles())];
    const auto same =
        std::find_if(bucket.begin(), bucket.end(), [&](size_t other) { return proposals[other].swizzle == swizzle; });
    if (same != bucket.end()) {
      if (draft.proposer == "user") proposals[*same].proposer = draft.proposer;
      continue;
    }
    bucket.push_back(proposals.size());
    const int instructions = estimate_instructions(swizzle.expr(), swizzle.grid());
    proposals.push_back({draft.name, draft.proposer, std::move(swizzle), draft.every_grid, instructions});
  }
  return proposals;
}

Expected<std::vector<Proposal>> propose(const Workload& workload, const GpuSpec& gpu, const Sizes& sizes,
                                        const SearchOptions& options, SearchResult& counts) {
  TileDigits tile = find_tile_digits(workload);
  FamilyRequest request{.grid = workload.grid, .num_xcds = gpu.dispatch == Dispatch::kRoundRobin ? gpu.domains : 1};
  if (workload.grid.axes() == 1 && tile.digits.size() > 1) {
    request.tile_columns = tile.digits.back();
    request.tile_rows = workload.grid.size() / tile.digits.back();
  }
  request.digits = std::move(tile.digits);
  request.uneven_digit = tile.uneven;
  std::vector<Draft> drafts;
  for (const auto& member : affordable(enumerate_families(request), workload.grid.size()))
    drafts.push_back({member.name, "families", member.map, member.every_grid});
  for (const auto& map : options.user_maps) drafts.push_back({"user", "user", map});
  counts.proposed = static_cast<int>(drafts.size());
  std::atomic<int> done{0};
  std::mutex reporting;
  parallel_for(drafts.size(), options.threads, [&](size_t i) {
    drafts[i].proof = prove_draft(drafts[i], workload.grid, sizes);
    if (const int now = ++done; options.progress && now % 64 == 0) {
      const std::scoped_lock lock(reporting);
      options.progress("proving maps", now, static_cast<int>(drafts.size()));
    }
  });
  return distinct(std::move(drafts));
}

// The proposals that the object engine sees: the baseline, the user's, and the best by footprint.
std::vector<Proposal> prune(std::vector<Proposal> proposals, const Model& model, const SearchOptions& options) {
  parallel_for(proposals.size(), options.threads,
               [&](size_t i) { proposals[i].cost = model.footprint_cost(proposals[i].swizzle.tiles()); });
  const auto affordable_count = static_cast<size_t>(kSimulationBudget / std::max<int64_t>(1, model.work()));
  const size_t keep = std::min(static_cast<size_t>(options.simulate), std::max(kFewestSimulated, affordable_count));
  std::sort(proposals.begin() + 1, proposals.end(), [](const Proposal& a, const Proposal& b) {
    const bool a_user = a.proposer == "user";
    const bool b_user = b.proposer == "user";
    if (a_user != b_user) return a_user;
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.instructions != b.instructions) return a.instructions < b.instructions;
    return a.swizzle.expr().text() < b.swizzle.expr().text();
  });
  if (proposals.size() > keep + 1) proposals.erase(proposals.begin() + static_cast<long>(keep) + 1, proposals.end());
  return proposals;
}

}  // namespace

bool better(const Candidate& a, const Candidate& b) {
  // Times within 0.1 % are equal: then the bytes moved decide, those that leave the L2s and those that DRAM moves on
  // top, of which 0.5 % is worth no arithmetic; then the index arithmetic. Rounding to steps keeps the order
  // transitive.
  const auto step = [](double value, double steps) { return std::llround(std::log(std::max(value, 1e-12)) * steps); };
  const auto key = [&](const Candidate& c) {
    const Prediction& p = c.prediction;
    const auto moved = static_cast<double>(p.dram_read_bytes + p.dram_write_bytes + p.l2_miss_bytes);
    return std::tuple(step(p.time_ms, 1000), step(moved, 200), c.instructions);
  };
  return key(a) < key(b);
}

Decision decide(const Prediction& baseline, const Prediction& best) {
  constexpr double kTimeGain = 0.02;
  constexpr double kTrafficCut = 0.10;
  constexpr double kSameTime = 0.001;
  const auto cut = [](double before, double after) { return before > 0 ? 1 - after / before : 0; };
  const double time = cut(baseline.time_ms, best.time_ms);
  const double dram = cut(static_cast<double>(baseline.dram_read_bytes + baseline.dram_write_bytes),
                          static_cast<double>(best.dram_read_bytes + best.dram_write_bytes));
  const double fetched = cut(static_cast<double>(baseline.l2_miss_bytes), static_cast<double>(best.l2_miss_bytes));
  const std::string known = baseline.time_has_compute ? "" : " (memory time only: the compute time is not known)";
  if (time > kTimeGain) {
    return {"apply", Benefit::kTime,
            fmt::format("predicted time falls by {:.1f} %{}; bytes leaving the L2s by {:.1f} %, DRAM bytes by {:.1f} %",
                        100 * time, known, 100 * fetched, 100 * dram)};
  }
  if (time >= -kSameTime && (dram > kTrafficCut || fetched > kTrafficCut)) {
    return {"apply", Benefit::kTraffic,
            fmt::format("the kernel is bound by {} and runs no faster, but bytes leaving the L2s fall by {:.1f} % and "
                        "DRAM bytes by {:.1f} %",
                        baseline.bound, 100 * fetched, 100 * dram)};
  }
  return {"no gain", Benefit::kNone,
          fmt::format("the best order changes predicted time by {:+.1f} %{}, bytes leaving the L2s by {:+.1f} %, DRAM "
                      "bytes by {:+.1f} %: below what the prediction can tell (2 % of time, 10 % of "
                      "traffic)",
                      100 * time + 0.0, known, 100 * fetched + 0.0, 100 * dram + 0.0)};
}

Expected<SearchResult> search(const Workload& workload, const GpuSpec& gpu, const Model& model, const Sizes& sizes,
                              const SearchOptions& options) {
  SearchResult counts{.baseline = {"",
                                   "",
                                   Swizzle(std::get<Swizzle>(
                                       prove(SwizzleExpr::parse("pid = wg").value(), workload.grid, sizes).value())),
                                   true,
                                   0,
                                   {}}};
  auto proposals = propose(workload, gpu, sizes, options, counts);
  if (!proposals) return tl::unexpected(proposals.error());
  counts.distinct = static_cast<int>(proposals->size());
  std::vector<Proposal> chosen = prune(std::move(*proposals), model, options);
  std::vector<Prediction> predictions(chosen.size());
  std::atomic<int> done{0};
  std::mutex reporting;
  parallel_for(chosen.size(), options.threads, [&](size_t i) {
    predictions[i] = model.predict(chosen[i].swizzle.tiles(), {.index_instructions = chosen[i].instructions});
    const int now = ++done;
    const std::scoped_lock lock(reporting);
    if (options.progress) options.progress("simulating orders", now, static_cast<int>(chosen.size()));
  });
  if (interrupted()) return user_error("interrupted");
  counts.simulated = static_cast<int>(chosen.size());
  for (const Prediction& prediction : predictions) counts.ceiling = std::max(counts.ceiling, prediction.ceiling);
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < chosen.size(); ++i) {
    candidates.push_back({chosen[i].name, chosen[i].proposer, std::move(chosen[i].swizzle), chosen[i].every_grid,
                          chosen[i].instructions, std::move(predictions[i])});
  }
  counts.baseline = std::move(candidates.front());
  candidates.erase(candidates.begin());
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return better(a, b) || (!better(b, a) && a.swizzle.expr().text() < b.swizzle.expr().text());
  });
  if (candidates.size() > static_cast<size_t>(options.keep))
    candidates.erase(candidates.begin() + options.keep, candidates.end());
  counts.ranked = std::move(candidates);
  return counts;
}

}  // namespace swizzleperf

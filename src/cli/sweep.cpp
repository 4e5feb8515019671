#include "cli/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "base/process.h"
#include "cli/release.h"
#include "report/json.h"
#include "report/text.h"
#include "search/sweep.h"
#include "swizzle/cost.h"

namespace swizzleperf {
namespace {

constexpr int kSimulatedAPoint = 32;            // orders that each size's own search simulates
constexpr size_t kKeptAPoint = 4;               // of which the best are tried on every size
constexpr size_t kMostCandidates = 24;          // maps tried on every size
constexpr int64_t kKeptAccesses = 100'000'000;  // of open sessions: 5 GB; beyond, sizes are traced again when needed

// The sizes of the sweep, opened when asked for and kept while memory allows.
class Points {
 public:
  Points(const SweepOptions& options, std::vector<std::vector<std::string>> sizes, StageLine& stage)
      : options_(options), sizes_(std::move(sizes)), stage_(stage), kept_(sizes_.size()) {}
  size_t size() const { return sizes_.size(); }
  std::string label(size_t i) const { return fmt::format("{}", fmt::join(sizes_[i], ", ")); }

  Expected<std::shared_ptr<const Session>> at(size_t i) {
    if (kept_[i]) return kept_[i];
    Request request = options_.request;
    request.sizes.insert(request.sizes.end(), sizes_[i].begin(), sizes_[i].end());
    auto opened =
        open_session(request, [&](const std::string& name) { stage_.show(label(i) + ": " + name); }, first_.get());
    if (!opened) return tl::unexpected(opened.error());
    auto session = std::make_shared<const Session>(std::move(*opened));
    if (!first_) first_ = session;
    accesses_ += static_cast<int64_t>(session->workload.accesses.size());
    if (accesses_ <= kKeptAccesses) kept_[i] = session;
    return session;
  }

 private:
  const SweepOptions& options_;
  std::vector<std::vector<std::string>> sizes_;
  StageLine& stage_;
  std::shared_ptr<const Session> first_;  // whose compiled kernel serves the others
  std::vector<std::shared_ptr<const Session>> kept_;
  int64_t accesses_ = 0;
};

struct Found {
  std::vector<SweepPoint> points;
  std::vector<Sizes> map_sizes;  // by point: what a map may name
  std::vector<SweepCandidate> candidates;
};

// Each size's own search: its baseline, and the maps that are worth trying on all sizes.
Expected<Found> search_points(Points& points, const SweepOptions& options, StageLine& stage) {
  Found found;
  std::map<std::string, std::pair<int, SweepCandidate>> votes;  // by map: how many sizes like it
  for (size_t i = 0; i < points.size(); ++i) {
    const auto session = points.at(i);
    if (!session) return tl::unexpected(session.error());
    stage.show(points.label(i) + ": searching orders");
    SearchOptions search_options = options.search;
    search_options.usual_evaluations = kSimulatedAPoint;
    const auto result =
        search((*session)->workload, (*session)->gpu, (*session)->model, (*session)->map_sizes, search_options);
    if (!result) return tl::unexpected(result.error());
    found.points.push_back({points.label(i), (*session)->workload.grid, result->baseline.prediction});
    found.map_sizes.push_back((*session)->map_sizes);
    for (size_t k = 0; k < std::min(kKeptAPoint, result->ranked.size()); ++k) {
      const Candidate& one = result->ranked[k];
      const std::string& text = one.swizzle.expr().text();
      auto& vote = votes.try_emplace(text, 0, SweepCandidate{one.name, text, one.every_grid, {}}).first->second;
      ++vote.first;
    }
  }
  std::vector<std::pair<int, SweepCandidate>> ordered;
  for (auto& [map, vote] : votes) ordered.push_back(std::move(vote));
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second.map) < std::tie(a.first, b.second.map);
  });
  for (auto& [count, candidate] : ordered) {
    if (found.candidates.size() < kMostCandidates) found.candidates.push_back(std::move(candidate));
  }
  return found;
}

// Every candidate at every size.
Expected<void> predict_all(Points& points, Found& found, StageLine& stage) {
  for (size_t i = 0; i < points.size(); ++i) {
    const auto session = points.at(i);
    if (!session) return tl::unexpected(session.error());
    stage.show(points.label(i) + ": predicting every candidate");
    for (SweepCandidate& candidate : found.candidates) {
      if (interrupted()) return user_error("interrupted");
      const auto expr = SwizzleExpr::parse(candidate.map);
      const auto proof = expr ? prove(*expr, (*session)->workload.grid, (*session)->map_sizes)
                              : Expected<std::variant<Swizzle, MapReport>>(tl::unexpected(expr.error()));
      const auto* swizzle = proof ? std::get_if<Swizzle>(&*proof) : nullptr;
      candidate.predictions.push_back(
          swizzle != nullptr
              ? std::optional((*session)->model.predict(
                    swizzle->tiles(), {.index_instructions = estimate_instructions(*expr, swizzle->grid())}))
              : std::nullopt);
    }
  }
  return {};
}

// The point that gains most from the chosen map: where the rewritten kernel is verified.
size_t best_point(const Found& found, const SweepChoice& choice) {
  const auto& predictions = found.candidates[choice.candidate].predictions;
  size_t best = 0;
  double most = -1;
  for (size_t i = 0; i < found.points.size(); ++i) {
    if (choice.effects[i] != Effect::kHelps) continue;
    const double gain = gain_of(found.points[i].baseline, *predictions[i]);
    if (gain > most) {
      most = gain;
      best = i;
    }
  }
  return best;
}

// Proves the final map on the launch grid of every point; the one of `verified` is what the rewriter takes.
Expected<Swizzle> prove_everywhere(const Found& found, const SweepChoice& choice, size_t verified) {
  const auto expr = SwizzleExpr::parse(choice.map);
  if (!expr) return tl::unexpected(expr.error());
  std::optional<Swizzle> result;
  for (size_t i = 0; i < found.points.size(); ++i) {
    const Grid& grid = found.points[i].grid;
    const auto& guarded = choice.guard_grids;
    if (!guarded.empty() && std::find(guarded.begin(), guarded.end(), grid) == guarded.end()) continue;
    auto proof = prove(*expr, grid, found.map_sizes[i]);
    if (!proof) return tl::unexpected(proof.error());
    auto* swizzle = std::get_if<Swizzle>(&*proof);
    if (swizzle == nullptr)
      return internal_error(fmt::format("the map '{}' is no bijection on {}", choice.map, to_string(grid)));
    if (i == verified) result = std::move(*swizzle);
  }
  return std::move(*result);
}

const char* name_of(Effect effect) {
  switch (effect) {
    case Effect::kHelps:
      return "helps";
    case Effect::kHurts:
      return "hurts";
    case Effect::kNoMap:
      return "no bijection";
    case Effect::kNothing:
      break;
  }
  return "nothing";
}

struct Result {
  Found found;
  std::optional<SweepChoice> choice;
  std::optional<Release> release;
  std::shared_ptr<const Session> session;  // the one that was verified, or the first
  std::string verdict() const { return release ? release->verdict : "no gain"; }
};

std::string dram(const Prediction& prediction) {
  return format_bytes(static_cast<double>(prediction.dram_read_bytes + prediction.dram_write_bytes));
}

void print_text(const Result& result, const SweepOptions& options) {
  const Session& session = *result.session;
  fmt::print("{} on {}: {} sizes, {} maps tried on each\n\n", session.the_case.name, session.gpu.name,
             result.found.points.size(), result.found.candidates.size());
  std::vector<std::vector<std::string>> rows = {
      {"size", "grid", "L2 hit", "with map", "DRAM", "with map", "time*", "with map", "the map"}};
  for (size_t i = 0; i < result.found.points.size(); ++i) {
    const SweepPoint& point = result.found.points[i];
    std::vector<std::string> row = {point.label,
                                    to_string(point.grid),
                                    format_percent(point.baseline.l2_hit_rate),
                                    "-",
                                    dram(point.baseline),
                                    "-",
                                    format_time(point.baseline.time_ms),
                                    "-",
                                    "-"};
    if (result.choice) {
      row[8] = name_of(result.choice->effects[i]);
      if (const auto& with = result.found.candidates[result.choice->candidate].predictions[i]) {
        row[3] = format_percent(with->l2_hit_rate);
        row[5] = dram(*with);
        row[7] = format_time(with->time_ms);
      }
    }
    rows.push_back(std::move(row));
  }
  fmt::print("{}  predicted, without the condition below; * unvalidated\n\nverdict: {}\n", format_table(rows),
             result.verdict());
  if (!result.choice) {
    fmt::print("  no map gains at any of these sizes\n");
    return;
  }
  const SweepCandidate& chosen = result.found.candidates[result.choice->candidate];
  fmt::print("  {}: helps {} of {} sizes", chosen.name, result.choice->helps, result.found.points.size());
  if (!result.choice->condition.empty())
    fmt::print("; applied where {}, the identity elsewhere", result.choice->condition);
  if (!result.choice->guard_grids.empty())
    fmt::print("; applied on {} of the launch grids", result.choice->guard_grids.size());
  fmt::print("\n");
  if (!result.release->reason.empty()) fmt::print("  {}\n", result.release->reason);
  if (result.release->gate)
    fmt::print("\nGate, at {} ({})\n{}", session.instance.variant, result.release->gate->verdict(),
               format_gate(*result.release->gate));
  if (!result.release->released()) return;
  fmt::print("\nmap: {}\n{} integer operations of {} bits added per workgroup\n", result.choice->map,
             result.release->rewritten->operations, result.release->rewritten->bits);
  if (options.output.patch_file.empty() && !options.output.in_place)
    fmt::print("\n{}", result.release->rewritten->patch);
}

void print_json(const Result& result) {
  const Session& session = *result.session;
  Json json = {{"case", session.the_case.name}, {"gpu", session.gpu.name}, {"verdict", result.verdict()}};
  json["reason"] = result.release ? Json(result.release->reason) : Json("no map gains at any of these sizes");
  json["map"] = result.choice ? Json(result.choice->map) : Json(nullptr);
  json["condition"] = result.choice ? Json(result.choice->condition) : Json(nullptr);
  json["guard_grids"] = Json::array();
  if (result.choice) {
    for (const Grid& grid : result.choice->guard_grids) json["guard_grids"].push_back({grid.x, grid.y, grid.z});
  }
  json["points"] = Json::array();
  for (size_t i = 0; i < result.found.points.size(); ++i) {
    const SweepPoint& point = result.found.points[i];
    Json entry = {{"size", point.label},
                  {"grid", {point.grid.x, point.grid.y, point.grid.z}},
                  {"baseline", to_json(point.baseline, session.gpu)}};
    if (result.choice) {
      const auto& with = result.found.candidates[result.choice->candidate].predictions[i];
      entry["effect"] = name_of(result.choice->effects[i]);
      entry["with_map"] = with ? to_json(*with, session.gpu) : Json(nullptr);
    }
    json["points"].push_back(std::move(entry));
  }
  const bool released = result.release && result.release->released();
  json["gate"] = result.release && result.release->gate ? to_json(*result.release->gate) : Json(nullptr);
  json["patch"] = released ? Json(result.release->rewritten->patch) : Json(nullptr);
  fmt::print("{}", print(json));
}

Expected<Result> find_result(const SweepOptions& options, StageLine& stage) {
  auto sizes = expand_ranges(options.ranges);
  if (!sizes) return tl::unexpected(sizes.error());
  Points points(options, std::move(*sizes), stage);
  auto found = search_points(points, options, stage);
  if (!found) return tl::unexpected(found.error());
  if (auto status = predict_all(points, *found, stage); !status) return tl::unexpected(status.error());
  Result result{.found = std::move(*found), .choice = std::nullopt, .release = std::nullopt, .session = nullptr};
  result.choice = choose_over_sizes(result.found.points, result.found.candidates);
  const size_t verified = result.choice ? best_point(result.found, *result.choice) : 0;
  auto session = points.at(verified);
  if (!session) return tl::unexpected(session.error());
  result.session = std::move(*session);
  if (!result.choice) return result;
  const auto swizzle = prove_everywhere(result.found, *result.choice, verified);
  if (!swizzle) return tl::unexpected(swizzle.error());
  const bool every_grid = result.found.candidates[result.choice->candidate].every_grid;
  auto released =
      release(*result.session, *swizzle, {.guarded = !every_grid, .guard_grids = result.choice->guard_grids},
              options.allow_order_dependent, stage);
  if (!released) return tl::unexpected(released.error());
  result.release = std::move(*released);
  return result;
}

}  // namespace

int run_sweep(const SweepOptions& options) {
  StageLine stage(!options.json);
  const auto result = find_result(options, stage);
  stage.clear();
  if (!result) return report_error(result.error());
  options.json ? print_json(*result) : print_text(*result, options);
  if (!result->release || !result->release->released()) return 0;
  return finish_with_outputs(options.output, result->session->the_case, *result->session->kernel,
                             *result->release->rewritten);
}

}  // namespace swizzleperf

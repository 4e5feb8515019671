#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/parallel.h"
#include "base/process.h"
#include "model/engine_choice.h"
#include "search/family_proposer.h"

namespace swizzleperf {
namespace {

constexpr int64_t kSimulationBudget =
    120'000'000;  // object touches simulated in all: one to three seconds on two cores
constexpr int kFewestEvaluations = 12;
constexpr int kIdleRounds = 20;  // in a row without a new order: the proposer turns in circles

int evaluations_of(const SearchOptions& options, const Model& model) {
  if (options.evaluations) return *options.evaluations;
  const int64_t affordable = kSimulationBudget / std::max<int64_t>(1, model.work());
  const int64_t most = std::max<int64_t>(affordable, kFewestEvaluations);
  return static_cast<int>(std::min<int64_t>(most, options.usual_evaluations));
}

// A family's map that is no bijection is a bug; a user's is refused. Others' are tries like any other.
Expected<void> check_faults(const Tries& tries, size_t first) {
  for (size_t i = first; i < tries.size(); ++i) {
    const Scored& one = tries[i];
    if (!one.fault) continue;
    if (one.draft.proposer == "user") {
      Error error = one.fault->error;
      if (error.place.file.empty()) error.place.file = "--map";
      return tl::unexpected(std::move(error));
    }
    if (one.draft.proposer == "families")
      return internal_error(fmt::format("the family member {}: {}", one.draft.name, describe(*one.fault)));
  }
  return {};
}

// The launch order first, whoever else proposes it too, and the user's maps last.
std::vector<Draft> first_round(std::vector<Draft> drafts, const Grid& grid, const SearchOptions& options) {
  const char* identity = grid.axes() == 1   ? "pid = wg"
                         : grid.axes() == 2 ? "pid_x = wg_x; pid_y = wg_y"
                                            : "pid_x = wg_x; pid_y = wg_y; pid_z = wg_z";
  if (drafts.empty() || drafts.front().map != identity)
    drafts.insert(drafts.begin(), {"identity", "baseline", identity, true});
  drafts.insert(drafts.end(), options.earlier.begin(), options.earlier.end());
  for (const auto& map : options.user_maps) drafts.push_back({"user", "user", map});
  return drafts;
}

Expected<Candidate> candidate_of(const Scored& scored, const Scorer& scorer) {
  const auto expr = SwizzleExpr::parse(scored.map, scored.draft.name);
  if (!expr) return tl::unexpected(expr.error());
  auto proof = prove(*expr, scorer.workload().grid, scorer.sizes());
  if (!proof) return tl::unexpected(proof.error());
  auto* swizzle = std::get_if<Swizzle>(&*proof);
  if (swizzle == nullptr) return internal_error(fmt::format("'{}' was a bijection before", scored.map));
  return Candidate{scored.draft.name,   scored.draft.proposer, std::move(*swizzle), scored.draft.every_grid,
                   scored.instructions, *scored.prediction,    scored.draft.why};
}

// The ranges of the baseline and of the best candidate: what the verdict compares.
void add_ranges(const Model& model, Candidate& baseline, std::vector<Candidate>& ranked, int threads) {
  std::vector<Candidate*> asked = {&baseline};
  if (!ranked.empty()) asked.push_back(&ranked.front());
  parallel_for(asked.size(), threads, [&](size_t i) {
    asked[i]->prediction =
        model.predict(asked[i]->swizzle.tiles(), {.index_instructions = asked[i]->instructions, .range = true});
  });
}

Expected<SearchResult> result_of(const Scorer& scorer, const SearchOptions& options) {
  const Tries& tries = scorer.tries();
  std::vector<const Scored*> predicted;
  const Scored* baseline = nullptr;
  double ceiling = 0;
  for (const Scored& one : tries) {
    if (one.outcome != Scored::Outcome::kPredicted) continue;
    ceiling = std::max(ceiling, one.prediction->ceiling);
    (one.identity ? baseline : predicted.emplace_back()) = &one;
  }
  if (baseline == nullptr) return internal_error("the launch order was not simulated");
  std::sort(predicted.begin(), predicted.end(), [](const Scored* a, const Scored* b) {
    const auto beats = [](const Scored* one, const Scored* other) {
      return better(*one->prediction, one->instructions, *other->prediction, other->instructions);
    };
    return beats(a, b) || (!beats(b, a) && a->map < b->map);
  });
  auto base = candidate_of(*baseline, scorer);
  if (!base) return tl::unexpected(base.error());
  SearchResult result{.baseline = std::move(*base),
                      .ranked = {},
                      .ceiling = ceiling,
                      .proposed = static_cast<int>(tries.size()),
                      .distinct = scorer.distinct(),
                      .simulated = scorer.simulated()};
  for (size_t i = 0; i < std::min(predicted.size(), static_cast<size_t>(options.keep)); ++i) {
    auto candidate = candidate_of(*predicted[i], scorer);
    if (!candidate) return tl::unexpected(candidate.error());
    result.ranked.push_back(std::move(*candidate));
  }
  add_ranges(scorer.model(), result.baseline, result.ranked, options.threads);
  return result;
}

// Where objects may be off, the baseline and the finalists are judged line by line.
Expected<void> refine(SearchResult& result, const Scorer& scorer, const SearchOptions& options) {
  const auto engine = choose_engine(EngineRequest::kAuto, scorer.workload(), scorer.gpu());
  if (!engine) return tl::unexpected(engine.error());
  result.engine = engine->name();
  result.engine_reason = engine->reason;
  if (engine->lines() == nullptr) return {};
  std::vector<Candidate*> finalists = {&result.baseline};
  for (Candidate& candidate : result.ranked) finalists.push_back(&candidate);
  parallel_for(finalists.size(), options.threads, [&](size_t i) {
    Candidate& one = *finalists[i];
    one.prediction =
        scorer.model().predict(one.swizzle.tiles(), {.index_instructions = one.instructions, .lines = engine->lines()});
  });
  if (interrupted()) return user_error("interrupted");
  std::sort(result.ranked.begin(), result.ranked.end(), [](const Candidate& a, const Candidate& b) {
    return better(a, b) || (!better(b, a) && a.swizzle.expr().text() < b.swizzle.expr().text());
  });
  return {};
}

}  // namespace

bool better(const Prediction& a, int a_instructions, const Prediction& b, int b_instructions) {
  // Times within 0.1 % are equal: then the bytes moved decide, those that leave the L2s and those that DRAM moves on
  // top, of which 0.5 % is worth no arithmetic; then the index arithmetic. Rounding to steps keeps the order
  // transitive.
  const auto step = [](double value, double steps) { return std::llround(std::log(std::max(value, 1e-12)) * steps); };
  const auto key = [&](const Prediction& p, int instructions) {
    const auto moved = static_cast<double>(p.dram_read_bytes + p.dram_write_bytes + p.l2_miss_bytes);
    return std::tuple(step(p.time_ms, 1000), step(moved, 200), instructions);
  };
  return key(a, a_instructions) < key(b, b_instructions);
}

bool better(const Candidate& a, const Candidate& b) {
  return better(a.prediction, a.instructions, b.prediction, b.instructions);
}

namespace {

double cut(double before, double after) {
  return before > 0 ? 1 - after / before : 0;
}

// How much `figure` falls from the baseline to the best under each way that workgroups may drift, both the same way;
// the prediction's own fall where no range was asked for.
template <class Figure>
Interval cut_span(const Prediction& baseline, const Prediction& best, double predicted, Figure figure) {
  Interval span = {predicted, predicted};
  for (size_t i = 0; i < std::min(baseline.outcomes.size(), best.outcomes.size()); ++i) {
    const double fall = cut(figure(baseline.outcomes[i]), figure(best.outcomes[i]));
    span.low = std::min(span.low, fall);
    span.high = std::max(span.high, fall);
  }
  return span;
}

std::string range_text(const Interval& span) {
  return span.low == span.high
             ? ""
             : fmt::format(" ({:.1f} to {:.1f} % as workgroups drift apart)", 100 * span.low, 100 * span.high);
}

}  // namespace

Decision decide(const Prediction& baseline, const Prediction& best) {
  constexpr double kTimeGain = 0.02;
  constexpr double kTrafficCut = 0.10;
  constexpr double kSameTime = 0.001;
  constexpr double kOtherRises = 0.02;
  const double time = cut(baseline.time_ms, best.time_ms);
  const auto dram_bytes = [](const auto& p) { return static_cast<double>(p.dram_read_bytes + p.dram_write_bytes); };
  const auto miss_bytes = [](const auto& p) { return static_cast<double>(p.l2_miss_bytes); };
  const double dram = cut(dram_bytes(baseline), dram_bytes(best));
  const double fetched = cut(miss_bytes(baseline), miss_bytes(best));
  const Interval times = cut_span(baseline, best, time, [](const Outcome& o) { return o.time_ms; });
  const Interval moved = cut_span(baseline, best, fetched, miss_bytes);
  const Interval drams = cut_span(baseline, best, dram, dram_bytes);
  const std::string known = baseline.time_has_compute ? "" : " (memory time only: the compute time is not known)";
  if (time > kTimeGain && times.low > 0) {
    return {
        "apply", Benefit::kTime,
        fmt::format("predicted time falls by {:.1f} %{}{}; bytes leaving the L2s by {:.1f} %, DRAM bytes by {:.1f} %",
                    100 * time, range_text(times), known, 100 * fetched, 100 * dram)};
  }
  // A cut of one of the two is a gain only where the other does not pay for it: behind an LLC, DRAM bytes are not
  // validated, and L2 misses are what is measured.
  const bool large = std::max(dram, fetched) > kTrafficCut && std::min(dram, fetched) >= -kOtherRises;
  const bool less_traffic =
      large && ((dram > kTrafficCut && drams.low > 0) || (fetched > kTrafficCut && moved.low > 0));
  if (time >= -kSameTime && less_traffic) {
    return {
        "apply", Benefit::kTraffic,
        fmt::format("the kernel is bound by {} and runs no faster, but bytes leaving the L2s fall by {:.1f} %{} and "
                    "DRAM bytes by {:.1f} %",
                    baseline.bound, 100 * fetched, range_text(moved), 100 * dram)};
  }
  const bool uncertain = time > kTimeGain || (time >= -kSameTime && large);
  return {
      "no gain", Benefit::kNone,
      fmt::format("the best order changes predicted time by {:+.1f} %{}{}, bytes leaving the L2s by {:+.1f} %{}, DRAM "
                  "bytes by {:+.1f} %: {}",
                  100 * time + 0.0, range_text(times), known, 100 * fetched + 0.0, range_text(moved), 100 * dram + 0.0,
                  uncertain ? "the gain lies inside the range of the prediction, what the hardware does not promise"
                            : "below what the prediction can tell (2 % of time, 10 % of traffic)")};
}

Expected<SearchResult> run_proposer(Scorer& scorer, Proposer& proposer, const SearchOptions& options) {
  const int evaluations = evaluations_of(options, scorer.model());
  int idle = 0;
  while (true) {
    const bool first = scorer.tries().empty();
    const int left = evaluations - std::max(0, scorer.simulated() - 1);  // the launch order comes on top
    if (left <= 0 || idle >= kIdleRounds) break;
    const int before = scorer.simulated();  // a proposer may ask the scorer while it thinks
    auto drafts = proposer.propose(scorer.tries(), left);
    if (!drafts) return tl::unexpected(drafts.error());
    if (first) drafts = first_round(std::move(*drafts), scorer.workload().grid, options);
    if (drafts->empty()) break;
    const auto begin = scorer.score(std::move(*drafts), std::min(left, proposer.width(left)));
    if (!begin) return tl::unexpected(begin.error());
    if (const auto status = check_faults(scorer.tries(), *begin); !status) return tl::unexpected(status.error());
    if (options.on_round) options.on_round(scorer, *begin);
    idle = scorer.simulated() > before ? 0 : idle + 1;
  }
  auto result = result_of(scorer, options);
  if (!result) return result;
  if (const auto status = refine(*result, scorer, options); !status) return tl::unexpected(status.error());
  return result;
}

Expected<SearchResult> search(const Workload& workload, const GpuSpec& gpu, const Model& model, const Sizes& sizes,
                              const SearchOptions& options) {
  Scorer scorer(workload, gpu, model, sizes, {options.threads, options.progress});
  FamilyProposer families(workload, gpu);
  return run_proposer(scorer, families, options);
}

}  // namespace swizzleperf

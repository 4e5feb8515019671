// Writes docs/proposers.md: the best order of each kernel by each proposer under equal budgets, and published models'
// maps through the same loop. Predictions only; no gate and no GPU.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/session.h"
#include "report/text.h"
#include "search/bandit.h"
#include "search/evolution.h"
#include "search/family_proposer.h"
#include "search/search.h"

namespace swizzleperf {
namespace {

constexpr int kEvaluations = 64;
constexpr uint64_t kSeeds[] = {1, 2, 3};
constexpr const char* kGpu = "mi300x";
constexpr const char* kKernels[] = {"gemm/gemm.toml",
                                    "flash_attention/flash_attention.toml",
                                    "conv2d/conv2d.toml",
                                    "stencil/stencil.toml",
                                    "transpose/transpose.toml",
                                    "spmv/spmv.toml",
                                    "softmax/softmax.toml",
                                    "layernorm/layernorm.toml",
                                    "smith_waterman/smith_waterman.toml",
                                    "black_scholes/black_scholes.toml"};

// Maps that are given, one a round, in order.
class Replay : public Proposer {
 public:
  explicit Replay(std::vector<Draft> drafts) : drafts_(std::move(drafts)) {}
  std::string name() const override { return "published"; }
  Expected<std::vector<Draft>> propose(const Tries&, int) override {
    if (next_ == drafts_.size()) return std::vector<Draft>();
    return std::vector<Draft>{drafts_[next_++]};
  }

 private:
  std::vector<Draft> drafts_;
  size_t next_ = 0;
};

struct Ran {
  SearchResult result;
  Tries tries;
};

Ran run(const Session& session, Proposer& proposer) {
  Scorer scorer(session.workload, session.gpu, session.model, session.map_sizes, {.threads = 2});
  SearchOptions options;
  options.evaluations = kEvaluations;
  options.keep = 1;
  return {run_proposer(scorer, proposer, options).value(), scorer.tries()};
}

Session open(const std::string& file) {
  return open_session({.case_file = std::string(SWIZZLEPERF_SOURCE_DIR) + "/" + file, .gpu = kGpu},
                      [](const std::string&) {})
      .value();
}

// The launch order where nothing better was found.
const Candidate& best_of(const SearchResult& result) {
  const bool gains = !result.ranked.empty() && better(result.ranked.front(), result.baseline);
  return gains ? result.ranked.front() : result.baseline;
}

std::string cell(const Candidate& best, const Candidate& baseline) {
  const auto moved = [](const Prediction& p) { return static_cast<double>(p.l2_miss_bytes); };
  const double before = moved(baseline.prediction);
  return fmt::format("{}, {} ({:.0f} %)", format_time(best.prediction.time_ms), format_bytes(moved(best.prediction)),
                     before > 0 ? 100 * moved(best.prediction) / before : 100);
}

std::unique_ptr<Proposer> make(const std::string& name, const Session& session, uint64_t seed) {
  auto evolution = std::make_unique<EvolutionProposer>(session.workload, session.gpu, seed);
  if (name == "evolution") return evolution;
  std::vector<std::unique_ptr<Proposer>> arms;
  arms.push_back(std::make_unique<FamilyProposer>(session.workload, session.gpu));
  arms.push_back(std::move(evolution));
  return std::make_unique<Bandit>(std::move(arms));
}

// The median of three seeds, by rank.
Candidate median(const std::string& name, const Session& session) {
  std::vector<Candidate> bests;
  for (const uint64_t seed : kSeeds) bests.push_back(best_of(run(session, *make(name, session, seed)).result));
  std::sort(bests.begin(), bests.end(), [](const Candidate& a, const Candidate& b) { return better(a, b); });
  return bests[bests.size() / 2];
}

std::string winner(const Candidate& search, const Candidate& evolution, const Candidate& bandit) {
  const std::pair<const char*, const Candidate*> all[] = {
      {"search", &search}, {"evolution", &evolution}, {"bandit", &bandit}};
  std::string names;
  for (const auto& [name, one] : all) {
    const bool beaten = std::any_of(std::begin(all), std::end(all), [&, o = one](const auto& other) {
      return better(other.second->prediction, 0, o->prediction, 0);
    });
    if (!beaten) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

void print_kernels() {
  fmt::print("| kernel | launch order | search | evolution | bandit | best |\n|---|---|---|---|---|---|\n");
  for (const char* kernel : kKernels) {
    const Session session = open("examples/" + std::string(kernel));
    FamilyProposer families(session.workload, session.gpu);
    const Ran search = run(session, families);
    const Candidate& found = best_of(search.result);
    const Candidate evolution = median("evolution", session);
    const Candidate bandit = median("bandit", session);
    const Candidate& baseline = search.result.baseline;
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", session.the_case.name, cell(baseline, baseline),
               cell(found, baseline), cell(evolution, baseline), cell(bandit, baseline),
               winner(found, evolution, bandit));
    std::fflush(stdout);
  }
}

// The published maps by the case that they were proposed for, in order.
std::map<std::string, std::vector<Draft>> published() {
  std::ifstream file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/cases/published_maps.json");
  std::map<std::string, std::vector<Draft>> cases;
  for (const auto& one : nlohmann::json::parse(file)) {
    const std::string id = one.at("id");
    cases[id.substr(0, id.rfind('.'))].push_back({id, "published", one.at("map").get<std::string>()});
  }
  return cases;
}

void print_published() {
  fmt::print(
      "| kernel | maps | bijections | launch order | best published | search | best "
      "|\n|---|---|---|---|---|---|---|\n");
  for (auto& [name, drafts] : published()) {
    const std::string file = fmt::format("validation/mi300x/{}.toml", name);
    if (!std::filesystem::exists(std::string(SWIZZLEPERF_SOURCE_DIR) + "/" + file)) continue;
    const Session session = open(file);
    Replay replay(drafts);
    const Ran published = run(session, replay);
    FamilyProposer families(session.workload, session.gpu);
    const Ran search = run(session, families);
    const auto bijections =
        std::count_if(published.tries.begin() + 1, published.tries.end(), [](const Scored& one) { return !one.fault; });
    const Candidate& theirs = best_of(published.result);
    const Candidate& ours = best_of(search.result);
    const Candidate& baseline = search.result.baseline;
    const bool theirs_wins = better(theirs.prediction, 0, ours.prediction, 0);
    const bool ours_wins = better(ours.prediction, 0, theirs.prediction, 0);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", name, drafts.size(), bijections, cell(baseline, baseline),
               cell(theirs, baseline), cell(ours, baseline),
               theirs_wins ? "published"
               : ours_wins ? "search"
                           : "equal");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace swizzleperf

int main() {
  fmt::print(
      "# Proposers compared\n\n`make proposers-table` writes this page. Everything here is **predicted** by the cache "
      "model for an MI300X; nothing\nwas measured. A cell has the estimated time (unvalidated), the bytes that leave "
      "the "
      "L2s, and what share of the launch order's\nthat is. Each proposer had {} simulations beside the launch order. "
      "*best* "
      "names the proposers that no other one beats by the\nranking of orders (time to 0.1 %, then bytes moved).\n\n## "
      "The "
      "examples\n\n*search* tries the named families, pruned by footprint. *evolution* and *bandit* (search and "
      "evolution "
      "by what each has gained)\nare random: the median of {} seeds is shown. No language model took part.\n\n",
      swizzleperf::kEvaluations, std::size(swizzleperf::kSeeds));
  swizzleperf::print_kernels();
  fmt::print(
      "\n## Maps that published models proposed\n\nLanguage models proposed these maps in published runs of others; "
      "none was "
      "asked for this page. They go through the same loop in\ntheir order, one a round: proven, then predicted. What "
      "is no "
      "bijection is refused, so its work is not counted as saved. The kernels\nare the declared ones of "
      "`validation/mi300x`.\n\n");
  swizzleperf::print_published();
  return 0;
}

#include "search/evolution.h"

#include <algorithm>
#include <set>

#include "search/family_proposer.h"
#include "search/search.h"
#include "swizzle/vary.h"

namespace swizzleperf {
namespace {

constexpr int kSimulatedARound = 16;
constexpr size_t kDraftsARound = 48;  // of which the footprint chooses
constexpr int kAttempts = 400;        // to find drafts that are new
// Shares of a round, in percent; the rest are mutations of one plan.
constexpr int kFresh = 15;
constexpr int kBlind = 10;
constexpr int kCrossed = 20;

using Kind = std::array<int, 3>;

Kind kind_of(const Scored& one) {
  const auto quarter = [](double share) { return std::min(3, static_cast<int>(share * 4)); };
  const double balance = one.prediction->balance;
  return {quarter(one.near_fast), quarter(one.near_slow), balance > 0.98 ? 2 : balance > 0.9 ? 1 : 0};
}

bool beats(const Scored& a, const Scored& b) {
  return better(*a.prediction, a.instructions, *b.prediction, b.instructions);
}

// The better ones more often.
const Scored& select(const std::vector<const Scored*>& parents, Random& random) {
  return *parents[std::min(random.below(parents.size()), random.below(parents.size()))];
}

Draft draft_of(const Plan& plan, int64_t n, std::string why) {
  return {.name = name_of(plan), .proposer = "evolution", .map = map_of(plan, n), .why = std::move(why)};
}

}  // namespace

std::vector<const Scored*> elites(const Tries& tries) {
  std::map<Kind, const Scored*> best;
  for (const Scored& one : tries) {
    if (one.outcome != Scored::Outcome::kPredicted) continue;
    const auto [cell, is_new] = best.try_emplace(kind_of(one), &one);
    if (!is_new && beats(one, *cell->second)) cell->second = &one;
  }
  std::vector<const Scored*> result;
  for (const auto& [kind, one] : best) result.push_back(one);
  std::sort(result.begin(), result.end(),
            [](const Scored* a, const Scored* b) { return beats(*a, *b) || (!beats(*b, *a) && a->map < b->map); });
  return result;
}

EvolutionProposer::EvolutionProposer(const Workload& workload, const GpuSpec& gpu, uint64_t seed)
    : space_(plan_space(family_request(workload, gpu))), seed_(seed) {}

int EvolutionProposer::width(int budget) const {
  return std::min(budget, kSimulatedARound);
}

std::optional<Plan> EvolutionProposer::plan_of(const Scored& parent) const {
  auto plan = parse_plan(parent.draft.name);
  if (plan && !plan->empty() && valid(*plan, space_.n)) return plan;
  return plan_of_family(parent.draft.name, space_);
}

Draft EvolutionProposer::offspring(const std::vector<const Scored*>& parents, Random& random) const {
  if (parents.empty() || random.chance(kFresh)) return draft_of(random_plan(space_, random), space_.n, "at random");
  const Scored& parent = select(parents, random);
  const Scored& other = select(parents, random);
  const auto plan = plan_of(parent);
  const auto second = plan_of(other);
  if (plan && second && random.chance(kCrossed)) {
    const Plan child = cross(*plan, *second, random);
    if (!child.empty()) return draft_of(child, space_.n, "of " + parent.draft.name + " and " + other.draft.name);
  }
  if (plan && !random.chance(kBlind)) {
    Plan child = mutate(*plan, space_, random);
    if (random.chance(40)) child = mutate(child, space_, random);
    if (!child.empty()) return draft_of(child, space_.n, "of " + parent.draft.name);
  }
  const auto expr = SwizzleExpr::parse(parent.map);
  const auto donor = SwizzleExpr::parse(other.map);
  if (!expr || !donor) return draft_of(random_plan(space_, random), space_.n, "at random");
  return {.name = "varied",
          .proposer = name(),
          .map = vary(*expr, *donor, [&](size_t bound) { return random.below(bound); }),
          .why = "of " + parent.draft.name};
}

Expected<std::vector<Draft>> EvolutionProposer::propose(const Tries& tries, int /*budget*/) {
  std::set<std::string> known;
  uint64_t recorded = 0;
  for (const Scored& one : tries) {
    if (one.outcome == Scored::Outcome::kPruned) continue;
    ++recorded;
    known.insert(one.draft.map);
  }
  Random random((seed_ + 1) * 0x9E3779B97F4A7C15ULL ^ recorded * 0xD6E8FEB86659FD93ULL);
  const auto parents = elites(tries);
  std::vector<Draft> drafts;
  for (int attempt = 0; attempt < kAttempts && drafts.size() < kDraftsARound; ++attempt) {
    Draft draft = offspring(parents, random);
    if (known.insert(draft.map).second) drafts.push_back(std::move(draft));
  }
  return drafts;
}

}  // namespace swizzleperf

// Evolution: varies and crosses the best orders so far, of every kind of behaviour, whoever proposed them. An archive
// keeps the best order of each kind (how near neighbouring tiles are in each direction, how even the L2s' load is), so
// that what is good in another way is not lost. Most offspring are chains of bijective stages (search/plan.h); a few
// are blind variations of a map's syntax tree, which the prover sorts out. The same seed and tries, the same drafts.
#pragma once

#include <map>

#include "search/proposer.h"
#include "search/vary_plan.h"

namespace swizzleperf {

// The best of each kind among the tries, best first.
std::vector<const Scored*> elites(const Tries& tries);

class EvolutionProposer : public Proposer {
 public:
  EvolutionProposer(const Workload& workload, const GpuSpec& gpu, uint64_t seed);
  std::string name() const override { return "evolution"; }
  Expected<std::vector<Draft>> propose(const Tries& tries, int budget) override;
  int width(int budget) const override;

 private:
  Draft offspring(const std::vector<const Scored*>& parents, Random& random) const;
  std::optional<Plan> plan_of(const Scored& parent) const;
  PlanSpace space_;
  uint64_t seed_;
};

}  // namespace swizzleperf

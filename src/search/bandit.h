// Bandit: shares a run's budget among proposers by what each has gained so far (upper confidence bounds on the relative
// gain of its simulations). Everything it goes by is in the tries.
#pragma once

#include <memory>

#include "search/proposer.h"

namespace swizzleperf {

class Bandit : public Proposer {
 public:
  // At least one. Their names must differ: a try counts for the one whose name it carries.
  explicit Bandit(std::vector<std::unique_ptr<Proposer>> arms) : arms_(std::move(arms)) {}
  std::string name() const override { return "bandit"; }
  Expected<std::vector<Draft>> propose(const Tries& tries, int budget) override;
  int width(int budget) const override;

 private:
  std::vector<std::unique_ptr<Proposer>> arms_;
  size_t chosen_ = 0;  // whose drafts were returned last
};

// What an arm has gained lately: the logarithms of how much each of its orders lowered the best predicted time, or at
// the same time the bytes moved; half of it is forgotten with every slice that it spends, as gains get rarer. And how
// many drafts it has spent, without those that were pruned.
struct ArmRecord {
  double gain = 0;
  double most = 0;  // that `gain` ever was
  double spent = 0;
};
std::vector<ArmRecord> arm_records(const Tries& tries, const std::vector<std::string>& names);

// The arms by what they promise, best first; ties in their order. An arm that has spent nothing comes before any other.
std::vector<size_t> rank_arms(const std::vector<ArmRecord>& records);

}  // namespace swizzleperf

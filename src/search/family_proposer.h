// The named families as a proposer: every member worth trying on the workload's grid at once; the footprint prunes.
// Asked again, it proposes what was pruned.
#pragma once

#include "search/proposer.h"
#include "swizzle/families.h"

namespace swizzleperf {

// What the families need to know of a workload on a GPU.
FamilyRequest family_request(const Workload& workload, const GpuSpec& gpu);

class FamilyProposer : public Proposer {
 public:
  // Both are kept by reference and must outlive the proposer.
  FamilyProposer(const Workload& workload, const GpuSpec& gpu) : workload_(workload), gpu_(gpu) {}
  std::string name() const override { return "families"; }
  Expected<std::vector<Draft>> propose(const Tries& tries, int budget) override;

 private:
  const Workload& workload_;
  const GpuSpec& gpu_;
};

}  // namespace swizzleperf

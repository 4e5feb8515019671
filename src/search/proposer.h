// Proposer: whoever yields maps to try and gets scored ones back: the families, evolution, a language model, earlier
// runs. Nothing else differs among them: what they propose passes the same proof, prediction and gate.
//
// A proposer's state is a function of the tries and of what it was made with (its seed): asked again with the same
// tries it proposes the same drafts. So a run goes on after a restart from its recorded tries alone, and does what it
// would have done without the restart. Pruned tries are not
// recorded, and no proposer goes by them. A proposer whose
// answers come from outside records them and answers from that.
#pragma once

#include <string>
#include <vector>

#include "search/scorer.h"

namespace swizzleperf {

class Proposer {
 public:
  Proposer() = default;
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;
  virtual ~Proposer() = default;

  // What drafts of this proposer carry in Draft::proposer.
  virtual std::string name() const = 0;

  // Maps to try next. `tries` is everything tried so far in this run, by any proposer, oldest first; empty at the
  // first call. `budget`, at least 1, is how many more orders may be simulated; drafts beyond are pruned by footprint.
  // No drafts: there are no ideas left. An error ends the run.
  virtual Expected<std::vector<Draft>> propose(const Tries& tries, int budget) = 0;

  // How many of the drafts that propose() has just returned may be simulated, at most `budget`: a proposer may offer
  // more than that, and leave the choice to the footprint.
  virtual int width(int budget) const { return budget; }
};

}  // namespace swizzleperf

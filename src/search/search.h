// Search: runs a proposer against the scorer within a budget, ranks what it found, and decides.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/candidate.h"
#include "search/proposer.h"

namespace swizzleperf {

struct SearchOptions {
  int threads = 2;
  int keep = 10;                            // how many ranked candidates to return beside the baseline
  std::optional<int> evaluations = {};      // orders that the object engine simulates beside the baseline
  int usual_evaluations = 96;               // where that is not given: so many, or what a few seconds allow
  std::vector<std::string> user_maps = {};  // texts to score too
  std::vector<Draft> earlier = {};          // what worked for similar kernels: tried in the first round
  Progress progress = {};
  // Told after each round which tries are new, from this index on: what is to be recorded.
  std::function<void(const Scorer& scorer, size_t first_new)> on_round = {};
};

struct SearchResult {
  Candidate baseline;              // the identity
  std::vector<Candidate> ranked;   // best first: estimated time, then bytes moved, then index arithmetic; no baseline
  double ceiling = 0;              // highest hit rate that compulsory misses allow an order that was simulated
  int proposed = 0;                // maps generated
  int distinct = 0;                // different permutations among them
  int simulated = 0;               // by the object engine
  std::string engine = "object";   // that the baseline and the ranked candidates were predicted with
  std::string engine_reason = {};  // why; empty where nothing speaks against objects
};

enum class Benefit { kNone, kTime, kTraffic };

struct Decision {
  std::string verdict;  // "apply" or "no gain"
  Benefit benefit = Benefit::kNone;
  std::string reason;
};

// Lets the proposer propose until the evaluations are used up, it has no ideas left, or many rounds in a row bring no
// order that is new. The launch order and the user's maps are tried in the first round. Goes on from the scorer's
// tries where it has some. A fault of a user's map or of a family ends the run; those of others are tries.
Expected<SearchResult> run_proposer(Scorer& scorer, Proposer& proposer, const SearchOptions& options);

// The families, and the user's maps.
Expected<SearchResult> search(const Workload& workload, const GpuSpec& gpu, const Model& model, const Sizes& sizes,
                              const SearchOptions& options = {});

// DESIGN.md "What is best": a gain in time above 2 %, or no loss of time and a cut above 10 % of DRAM bytes or of bytes
// leaving the L2s, the other of which rises by no more than 2 %.
Decision decide(const Prediction& baseline, const Prediction& best);

// True when a is better: time (beyond 0.1 %), then DRAM bytes and bytes leaving the L2s (beyond 1 %), then
// instructions.
bool better(const Candidate& a, const Candidate& b);
bool better(const Prediction& a, int a_instructions, const Prediction& b, int b_instructions);

}  // namespace swizzleperf

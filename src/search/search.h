// Search: proposes maps of the families, proves and predicts each, and ranks them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "swizzle/families.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {

struct Candidate {
  std::string name;      // family name, or "user"
  std::string proposer;  // "families", "user"
  Swizzle swizzle;
  bool every_grid = false;
  int instructions = 0;  // that the map adds to every wave
  Prediction prediction;
};

struct SearchOptions {
  int threads = 2;
  int keep = 10;                            // how many ranked candidates to return beside the baseline
  int simulate = 96;                        // how many of the pruned candidates the object engine sees
  std::vector<std::string> user_maps = {};  // texts to score too
  std::function<void(const std::string& stage, int done, int total)> progress = {};
};

struct SearchResult {
  Candidate baseline;             // the identity
  std::vector<Candidate> ranked;  // best first: estimated time, then bytes moved, then index arithmetic; no baseline
  double ceiling = 0;             // highest hit rate that compulsory misses allow an order that was simulated
  int proposed = 0;               // maps generated
  int distinct = 0;               // different permutations among them
  int simulated = 0;              // by the object engine
};

enum class Benefit { kNone, kTime, kTraffic };

struct Decision {
  std::string verdict;  // "apply" or "no gain"
  Benefit benefit = Benefit::kNone;
  std::string reason;
};

Expected<SearchResult> search(const Workload& workload, const GpuSpec& gpu, const Model& model, const Sizes& sizes,
                              const SearchOptions& options = {});

// DESIGN.md "What is best": a gain in time above 2 %, or no loss of time and a cut of DRAM bytes above 10 %.
Decision decide(const Prediction& baseline, const Prediction& best);

// True when a is better: time (beyond 0.1 %), then DRAM bytes and bytes leaving the L2s (beyond 1 %), then
// instructions.
bool better(const Candidate& a, const Candidate& b);

}  // namespace swizzleperf

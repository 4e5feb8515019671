// Scorer: what becomes of a proposed map. Proves drafts in parallel, keeps each permutation once, prunes by footprint
// where there are more than may be simulated, predicts the rest, and remembers all of it. A map that cannot be used is
// a value with words for whoever proposed it, not an error. Its answers depend on the drafts alone, not on the number
// of threads. Not thread-safe itself.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/model.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {

// A map that somebody proposes, not yet proven.
struct Draft {
  std::string name;         // family member, "user", "evolution 12"
  std::string proposer;     // "families", "user", "evolution", a model's name
  std::string map;          // in the map language
  bool every_grid = false;  // known to be a bijection on every grid of these axes: only named families may say so
  std::string why = {};     // the proposer's reason, for people
  bool plain = false;       // few operations, no parameter: simulated although its footprint is not among the least
};

// Two hashes of a permutation: equal when the functions are equal, as far as 128 bits tell.
using PermutationId = std::array<uint64_t, 2>;
PermutationId permutation_id(const Order& tiles);

// Why a draft cannot be used.
struct Fault {
  Error error;                      // with the position in the map where there is one
  std::optional<MapReport> report;  // of a map that evaluates but is no bijection
};

// A fault in words that help to mend the map: which tiles are lost and which workgroups repeat one or leave the grid.
std::string describe(const Fault& fault);

// A draft and what became of it. No tiles: a run tries thousands of maps on grids of up to a quarter million.
struct Scored {
  enum class Outcome {
    kPredicted,  // proven, and simulated by the object engine
    kRepeated,   // proven; the same permutation as an earlier try, whose prediction it has
    kPruned,     // proven; not worth a simulation by its footprint
    kFault,
  };
  Draft draft;
  Outcome outcome = Outcome::kFault;
  std::string map = {};  // the draft's map, normalised; empty for one that cannot be parsed
  PermutationId permutation = {};
  bool identity = false;
  int instructions = 0;  // that the map adds to every wave
  double footprint = 0;  // Model::footprint_cost; 0 where nothing had to be pruned
  double near_fast = 0;  // nearness() of an order that was simulated
  double near_slow = 0;
  std::optional<Prediction> prediction = {};  // kPredicted and kRepeated
  std::optional<size_t> same_as = {};         // kRepeated: the earlier one among the tries
  std::optional<Fault> fault = {};            // kFault
};
using Tries = std::vector<Scored>;

// How many drafts are proven or orders simulated so far; called from any thread, one call at a time.
using Progress = std::function<void(const std::string& stage, int done, int total)>;

struct ScorerOptions {
  int threads = 2;
  Progress progress = {};
};

class Scorer {
 public:
  // The four are kept by reference and must outlive the scorer.
  Scorer(const Workload& workload, const GpuSpec& gpu, const Model& model, const Sizes& sizes, ScorerOptions options);

  // Appends the drafts to the tries, in order. At most `simulate` of them are newly simulated, beside the identity: the
  // user's and earlier runs' maps first, then plain ones up to half of the rest, then those with the smallest footprint.
  // Returns the index of the first new try. The only error is an interruption, which appends nothing.
  Expected<size_t> score(std::vector<Draft> drafts, int simulate);

  // What score() would say of one draft, without making it a try: for questions while something is being thought out.
  // Simulates at most once a permutation, and counts as a simulation.
  Scored ask(const Draft& draft);

  // Tries of an earlier run of the same problem, as if scored here. REQUIRES: none yet.
  void restore(Tries tries, int simulated);

  const Tries& tries() const { return tries_; }
  int simulated() const { return simulated_; }                      // orders that the object engine has seen
  int distinct() const { return static_cast<int>(first_.size()); }  // different permutations among the tries

  const Workload& workload() const { return workload_; }
  const GpuSpec& gpu() const { return gpu_; }
  const Model& model() const { return model_; }
  const Sizes& sizes() const { return sizes_; }

 private:
  struct IdHash {
    size_t operator()(const PermutationId& id) const { return static_cast<size_t>(id[0]); }
  };
  struct Proven;
  Proven prove_draft(Draft draft) const;
  void prove_all(std::vector<Draft>& drafts, std::vector<Proven>& batch) const;
  std::vector<size_t> find_new(std::vector<Proven>& batch) const;
  void prune(std::vector<Proven>& batch, std::vector<size_t>& fresh, int simulate) const;
  static void move_plain_ahead(const std::vector<Proven>& batch, std::vector<size_t>& fresh, size_t keep);
  void predict(std::vector<Proven>& batch, const std::vector<size_t>& chosen);
  void settle(Scored& scored);
  void remember(std::vector<Proven>& batch);

  const Workload& workload_;
  const GpuSpec& gpu_;
  const Model& model_;
  const Sizes& sizes_;
  ScorerOptions options_;
  int64_t row_;  // row_length() of the workload
  Tries tries_;
  int simulated_ = 0;
  std::unordered_map<PermutationId, size_t, IdHash> first_;            // the first try of each permutation
  std::unordered_map<PermutationId, Prediction, IdHash> predictions_;  // of every permutation simulated
};

}  // namespace swizzleperf

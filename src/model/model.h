// The model of one workload on one GPU, prepared once and asked for many orders.
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "model/explain.h"
#include "model/line_model.h"
#include "model/prediction.h"

namespace swizzleperf {

struct PredictOptions {
  int index_instructions = 0;        // what the map's arithmetic adds to every wave (swizzle/cost.h)
  int64_t occupancy = 0;             // workgroups a compute unit; 0: the workload's
  const LineModel* lines = nullptr;  // where given, its lines are simulated instead of objects
  // Fills Prediction::outcomes with a few simulations more, of objects: without effect where `lines` are given.
  bool range = false;
};

class Model {
 public:
  // Unsupported when the workload is beyond what fits in memory (says the figure).
  static Expected<Model> create(const Workload& workload, const GpuSpec& gpu);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  // The object engine, or the line engine where options say so. Thread-safe: const, own scratch per call.
  Prediction predict(const Order& order, const PredictOptions& options = {}) const;

  // The same simulation, with what became of each array: why an order costs what it costs.
  std::vector<ArrayTraffic> explain(const Order& order) const;

  // The analytic wave footprint: estimated bytes that leave the L2s, and imbalance-weighted cost; only for ranking and
  // pruning. Lower is better. Tens of microseconds for a GEMM.
  double footprint_cost(const Order& order) const;

  // Object touches of one simulation, or what costs as much: the measure of its work.
  int64_t work() const;

  // The ceiling of the hit rate: compulsory misses only, over the requests of orders under which the L1s absorb every
  // repetition inside a tile. A prediction's own ceiling is higher where its L1s absorb less.
  double ceiling() const;

 private:
  struct State;
  explicit Model(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace swizzleperf

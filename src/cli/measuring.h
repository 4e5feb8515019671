// Orders of a case made ready to be measured: proven, predicted, put into the source.
#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "measure/job.h"
#include "search/search.h"

namespace swizzleperf {

// What to measure: a case, a device, orders.
struct PlanOptions {
  Request request;
  std::string device = "cuda:0";
  std::vector<std::string> maps;  // of the user's own
  int best = 0;                   // how many of the best predicted orders
};

// Adds these to a verb.
void add_plan_options(CLI::App& verb, PlanOptions& options);

// One order that is measured, with what is predicted of it.
struct PlannedOrder {
  std::string name;
  std::string map;       // empty: the launch order
  std::string proposer;  // "default", "user", "families"
  int operations = 0;    // integer operations added to a workgroup
  Prediction prediction;
};

struct MeasurePlan {
  // The launch order; the launch order again, whose ratio to the first is the noise; where there are others, the launch
  // order with a remap that is switched off; then the others.
  std::vector<PlannedOrder> orders;
  double touched_bytes = 0;  // distinct bytes that the launch reads
  runner::Job job;
};

// `maps`: of the user's own; `best`: ranked candidates. Energy is measured of the launch order, the user's maps and the
// first of `best`. User error for a case without a source and for a map that is no bijection.
Expected<MeasurePlan> plan_measurement(const Session& session, const std::vector<std::string>& maps,
                                       const std::vector<Candidate>& best);

// The same from the command line's options: opens the case, searches where `best` asks for it. User error where the
// case is not written for the device.
Expected<MeasurePlan> make_plan(const PlanOptions& options, StageLine& stage);

}  // namespace swizzleperf

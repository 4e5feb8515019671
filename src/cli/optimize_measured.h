// optimize --device: the best predicted orders measured, and the verdict that follows.
#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "measure/measurement.h"
#include "measure/verdict.h"
#include "search/search.h"

namespace swizzleperf {

struct MeasuredChoice {
  Measurement measurement;  // of the launch order, twice, and the candidates
  MeasuredVerdict verdict;
  int candidate = -1;  // index among the candidates; -1: none is applied
};

// Measures the candidates on the device ("cuda:0"), and counts where the profiler can. What cannot be counted becomes a
// warning. An order above twice as fast is measured a second time, in a process of its own.
Expected<MeasuredChoice> choose_on_device(const Session& session, const std::string& device,
                                          const std::vector<Candidate>& candidates, StageLine& stage);

}  // namespace swizzleperf

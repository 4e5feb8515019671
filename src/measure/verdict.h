// What a measurement says about the orders that were predicted to be best.
#pragma once

#include <string>
#include <vector>

#include "measure/measurement.h"

namespace swizzleperf {

// What was predicted of one variant, as far as the verdict needs it.
struct PredictedTraffic {
  int64_t dram_read_bytes = 0;
};

inline constexpr size_t kFirstOther = 3;

struct MeasuredVerdict {
  std::string verdict;   // "apply", "no gain"
  std::string reason;    // one sentence with the figures
  int chosen = -1;       // index of the variant that is applied; -1: none
  bool confirm = false;  // above twice as fast: has to be measured again, by itself
};

// The variants before the first kFirstOther are the launch order: as it is, again, and with a remap that is switched
// off. An order is applied when the interval of its cold speedup lies above 1
// and above the launch order's against itself, when warm it is not slower, and when its DRAM bytes, where they were
// counted, moved as predicted: time that is won without the traffic that should have won it is the compiler's doing,
// which another compiler takes back. The fastest such order is chosen. REQUIRES: predicted has an entry a variant.
MeasuredVerdict judge(const Measurement& measurement, const std::vector<PredictedTraffic>& predicted);

}  // namespace swizzleperf

// Medians, and how far they can be trusted.
#pragma once

#include <vector>

#include "measure/measurement.h"

namespace swizzleperf {

// Of the two middle values their mean. 0 for none.
double median(std::vector<double> values);

// median(baseline) / median(other), with the 95 % interval of the bootstrap: rounds are drawn with replacement, both
// kernels' times of a round together, because what disturbs a round disturbs both. The same samples give the same
// interval. REQUIRES: as many baseline samples as others.
Ratio ratio_of_medians(const std::vector<double>& baseline, const std::vector<double>& other);

}  // namespace swizzleperf

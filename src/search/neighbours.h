// How an order treats neighbouring tiles: by what orders behave differently, whatever their cost.
#pragma once

#include <cstdint>

#include "gpu/gpu_spec.h"
#include "model/prediction.h"
#include "workload/workload.h"

namespace swizzleperf {

// Shares of the tiles whose next tile along the fast and along the slow axis is done in the same L2 domain at about the
// same time: while the domain's compute units are filled once.
struct Nearness {
  double fast = 0;
  double slow = 0;
};

// `row`: tiles in a row of the plane that the grid stands for. REQUIRES: the order is a permutation.
Nearness nearness(const Order& order, int64_t row, const GpuSpec& gpu, int64_t occupancy);

// The row length that a workload's grid or its tiles' digits show; the grid's size where there is none.
int64_t row_length(const Workload& workload);

}  // namespace swizzleperf

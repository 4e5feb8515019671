// Does the kernel itself already walk its tiles in an order of ours?
#pragma once

#include <string>

#include "gpu/gpu_spec.h"
#include "workload/workload.h"

namespace swizzleperf {

// The order in which launch ids meet the plane of tiles that two of the kernel's arrays span (the rows of one, the
// columns of the other).
struct ExistingOrder {
  bool known = false;  // two arrays span a plane, each of whose tiles one workgroup does
  int64_t rows = 0;    // of that plane
  int64_t columns = 0;
  bool plain = false;       // row by row or column by column: no swizzle
  std::string family = {};  // "grouped(8)", "xcd_balanced.grouped(4)"; empty where it is none of ours
};

ExistingOrder recognise_order(const Workload& workload, const GpuSpec& gpu);

// "its 64 x 64 tiles are walked as grouped(8): the kernel swizzles already"; empty where there is nothing to say.
std::string describe(const ExistingOrder& order);

}  // namespace swizzleperf

// The rules of the engines, line by line and as plainly as possible: what the line engine must equal, and the object
// engine where lists do not fill up in the middle of an object.
#pragma once

#include "gpu/gpu_spec.h"
#include "model/prediction.h"
#include "workload/workload.h"

namespace swizzleperf {

struct ReferenceCounts {
  int64_t requests = 0;
  int64_t hits = 0;
  int64_t dram_read_bytes = 0;
  int64_t dram_write_bytes = 0;
};
// Round-robin dispatch to domains (AMD).
ReferenceCounts simulate_reference(const Workload& workload, const GpuSpec& gpu, const Order& order);
// One queue, an L2 of two sides (NVIDIA). Loads and stores have the same granularity.
ReferenceCounts simulate_reference_sides(const Workload& workload, const GpuSpec& gpu, const Order& order);

}  // namespace swizzleperf

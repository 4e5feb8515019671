// The rules of the round-robin (AMD) engine, line by line and as plainly as possible: what the object engine must
// equal.
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
ReferenceCounts simulate_reference(const Workload& workload, const GpuSpec& gpu, const Order& order);

}  // namespace swizzleperf

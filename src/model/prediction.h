// Prediction: what the model says of one order of one workload on one GPU. Nothing in it is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu_spec.h"
#include "workload/workload.h"

namespace swizzleperf {

struct DomainPrediction {
  int64_t workgroups = 0;
  int64_t requests = 0;  // L2 requests (AMD: lines and half lines; NVIDIA: 32 B sectors)
  int64_t hits = 0;
};

struct Prediction {
  std::vector<DomainPrediction> domains;
  double l2_hit_rate = 0;  // sum of hits / sum of requests; 0 when there are no requests
  double ceiling = 0;      // highest hit rate of any bijective map with as many requests: compulsory misses only
  int64_t dram_read_bytes = 0;
  int64_t dram_write_bytes = 0;
  int64_t l2_miss_bytes = 0;  // bytes that leave the L2s for the LLC or DRAM, reads and write-backs
  double llc_hit_rate = 0;    // unvalidated; 0 where there is no LLC
  int64_t llc_bytes = 0;
  double balance = 1;  // mean / max of L2 requests over domains: 1 = even
  double time_ms = 0;  // unvalidated: the largest of the resource times below
  double compute_ms = 0, l2_ms = 0, llc_ms = 0, dram_ms = 0;
  double index_ms = 0;  // issue of the map's own arithmetic
  double tail = 0;  // share of the slots' rounds that pass without work: the last wave, and uneven workgroups
  std::string bound;              // "compute", "L2", "LLC", "DRAM", "index arithmetic": which resource time is the largest
  bool time_has_compute = false;  // false: the case states no flops, memory time only
};

// tiles: launch id -> tile, -1 issues nothing. Any function is accepted, bijective or not.
using Order = std::vector<int32_t>;

}  // namespace swizzleperf

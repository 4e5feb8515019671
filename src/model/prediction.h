// Prediction: what the model says of one order of one workload on one GPU. Nothing in it is measured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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

// What one way of the workgroups beside each other comes to (model/slots.h).
struct Outcome {
  double l2_hit_rate = 0;
  int64_t dram_read_bytes = 0;
  int64_t dram_write_bytes = 0;
  int64_t l2_miss_bytes = 0;
  double time_ms = 0;
};

struct Interval {
  double low = 0, high = 0;
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
  double tail = 0;      // share of the slots' rounds that pass without work: the last wave, and uneven workgroups
  std::string bound;    // "compute", "L2", "LLC", "DRAM", "index arithmetic": which resource time is the largest
  int64_t fabric_sectors = 0;      // NVIDIA: read sectors that one side of the L2 asked the other for
  int64_t fabric_hit_sectors = 0;  // and found there; the rest are misses at home
  // The prediction itself first, then what else the hardware may do: one entry for each timing that is tried. Empty
  // unless asked for.
  std::vector<Outcome> outcomes;
  bool time_has_compute = false;  // false: the case states no flops, memory time only
};

// The range of a figure over the outcomes; nothing when there are none.
template <class Figure>
std::optional<Interval> span_of(const Prediction& prediction, Figure figure) {
  if (prediction.outcomes.empty()) return std::nullopt;
  Interval span = {figure(prediction.outcomes.front()), figure(prediction.outcomes.front())};
  for (const Outcome& outcome : prediction.outcomes) {
    span.low = std::min(span.low, figure(outcome));
    span.high = std::max(span.high, figure(outcome));
  }
  return span;
}

// tiles: launch id -> tile, -1 issues nothing. Any function is accepted, bijective or not.
using Order = std::vector<int32_t>;

}  // namespace swizzleperf

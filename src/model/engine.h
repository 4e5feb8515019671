// The object engines: one order in, counts out. Rules: docs/model.md.
#pragma once

#include "model/line_stream.h"
#include "model/objects.h"
#include "model/prediction.h"
#include "model/slots.h"

namespace swizzleperf {

struct Counts {
  std::vector<DomainPrediction> domains;
  int64_t l2_read_miss_bytes = 0;   // bytes that L2s fetch
  int64_t l2_write_back_bytes = 0;  // dirty bytes that leave L2s, those left at the end included
  int64_t llc_requests = 0;         // lines
  int64_t llc_hits = 0;
  int64_t dram_read_bytes = 0;
  int64_t dram_write_bytes = 0;
  int64_t fabric_requests = 0;  // NVIDIA: read sectors that one side asked the other for
  int64_t fabric_hits = 0;      // and that were there
  int64_t phases = 0;           // issued by all workgroups
  int64_t slot_rounds = 0;      // phases that all slots could have issued until the last one was done
};

// What happened to each object, for those who ask why.
struct ObjectTraffic {
  explicit ObjectTraffic(size_t objects) : requests(objects), half_hits(objects), fetched(objects), domains(objects) {}
  std::vector<int64_t> requests;   // L2 requests
  std::vector<int64_t> half_hits;  // twice the hits: on NVIDIA the two halves of an object hit by themselves
  std::vector<int64_t> fetched;    // bytes that L2s fetched (NVIDIA: from DRAM)
  std::vector<uint64_t> domains;   // bit d mod 64: L2 domain (NVIDIA: side) d requested it
};

// What the instruction caches of a domain fetch for a launch of so many workgroups.
struct CodeFetch {
  int64_t requests = 0;
  int64_t misses = 0;
};
CodeFetch code_fetch(const GpuSpec& gpu, int64_t workgroups, int64_t domain);

// Round-robin dispatch to domains with an L2 of channels each, an LLC behind them (AMD).
// `traffic`: filled where given.
Counts simulate_domains(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order,
                        ObjectTraffic* traffic = nullptr, const Timing& timing = {});

// The same, line by line.
Counts simulate_domains(const LineStream& lines, const GpuSpec& gpu, int64_t occupancy, const Order& order,
                        LineKernel kernel = LineKernel::kBest);

// One queue over all compute units; an L2 of two sides, each keeping copies of what its units use (NVIDIA).
Counts simulate_sides(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order,
                      ObjectTraffic* traffic = nullptr, const Timing& timing = {});

}  // namespace swizzleperf

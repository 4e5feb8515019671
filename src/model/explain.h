// What one order does to each array: how often its lines are fetched, by how many L2s, through how many channels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/workload.h"

namespace swizzleperf {

struct ArrayTraffic {
  std::string name;
  int64_t requests = 0;  // at the L2s
  int64_t hits = 0;
  int64_t lines_bytes = 0;        // distinct lines that are touched, in bytes
  int64_t fetched_bytes = 0;      // by all L2s together (NVIDIA: from DRAM); stores fetch nothing
  double fetches_a_line = 0;      // fetched / touched
  double domains_a_line = 0;      // L2s (NVIDIA: sides) that ask for an average line
  double lines_an_access = 0;     // of the accesses that touch at least as many lines as there are channels
  double channels_an_access = 0;  // L2 channels that these go through; 0 where there are no such accesses
};

// The commonest distance between neighbouring segments of an array's widest access, in bytes: its row pitch where it
// walks down a column. 0 where no access of it has several segments.
int64_t row_pitch(const Workload& workload, int16_t array);

struct ObjectStream;
struct ObjectTraffic;
std::vector<ArrayTraffic> sum_by_array(const ObjectStream& stream, const ObjectTraffic& traffic,
                                       const std::vector<std::string>& names);

}  // namespace swizzleperf

// What the probes' outputs say about a GPU.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "measure/answer.h"
#include "runner/job.h"

namespace swizzleperf {

struct CliffPoint {
  int64_t bytes = 0;
  double bytes_per_second = 0;
};

struct Topology {
  std::string device;
  runner::Api api = runner::Api::kCuda;
  int compute_units = 0;
  int64_t l2_bytes = 0;  // as the driver says
  // Of the probe "place".
  int domains = 1;             // XCDs that workgroups ran on
  int units_seen = 0;          // different compute units that workgroups ran on
  double round_robin = 0;      // share of the workgroups w on the same domain as w mod domains' first one
  double in_launch_order = 0;  // share of neighbouring launch ids that began in order, to a microsecond
  // Of the probe "sides": CUDA alone.
  std::vector<int> side_of_unit;  // by unit; empty where the latencies show no two sides
  double near_cycles = 0, far_cycles = 0;
  // Of the probe "cliff".
  std::vector<CliffPoint> own, shared;  // every unit reads its own part, and everything
  int64_t own_cliff_bytes = 0;          // the largest buffer read at the L2's rate; 0: no cliff was seen
  int64_t shared_cliff_bytes = 0;
};

// Answers to probe_jobs(), in its order. User error where they are not what such jobs answer.
Expected<Topology> read_topology(const std::vector<DeviceOutputs>& answers, runner::Api api);

// The largest size whose rate is nearer to the best than to that of the largest quarter of the sizes; 0 where the two
// differ by less than a tenth. A point counts with its two neighbours. REQUIRES: sizes grow.
int64_t find_cliff(const std::vector<CliffPoint>& curve);

// Two groups of units by their latencies to each line; empty where there are none. `latencies`: by unit, then line.
std::vector<int> split_sides(const std::vector<std::vector<double>>& latencies);

// A gpus/ file for this GPU: the text of the nearest known one, with what was measured in the place of its figures.
// `date` goes into their sources.
Expected<std::string> gpu_file(const Topology& topology, const std::string& base_text, const std::string& date);

}  // namespace swizzleperf

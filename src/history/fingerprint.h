// The fingerprint of a workload: the numbers by which two kernels are alike for a search of orders.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_spec.h"
#include "workload/reuse.h"

namespace swizzleperf {

struct Fingerprint {
  struct Array {
    double bytes_per_tile = 0;
    double tiles_per_line = 0;
    std::array<double, 3> shared_with_next = {0, 0, 0};
    bool loaded = false;
    bool stored = false;
  };
  std::array<int64_t, 3> grid = {1, 1, 1};
  int64_t occupancy = 1;
  std::vector<Array> arrays;
};

Fingerprint fingerprint_of(const Workload& workload, const Reuse& reuse);

// 0 for equal ones; about 1 for a factor of two in one extent of the grid. Infinite where the arrays or the axes differ
// in number or in what is done with them.
double distance(const Fingerprint& a, const Fingerprint& b);

std::string to_text(const Fingerprint& fingerprint);  // JSON
Expected<Fingerprint> parse_fingerprint(const std::string& text);

// Tells whether two runs have the same workload and GPU, so that the one's predictions are the other's.
std::string problem_id(const Workload& workload, const GpuSpec& gpu);

}  // namespace swizzleperf

// What `swizzleperf check` is asked: maps on grids, from the command line or from a JSON file.
#pragma once

#include <string>
#include <vector>

#include "swizzle/expr.h"

namespace swizzleperf {

struct CheckCase {
  std::string id, map;
  Grid grid;
  Sizes sizes;          // num_xcds, cus_per_xcd; what a map may name
  bool placed = false;  // launch ids are dealt to num_xcds L2 domains in turn
  std::string queue;    // why not, where the GPU is known: it has one queue, or one L2
};

struct CheckRequest {
  std::string map, grid, gpu, file;
  int64_t xcds = 0;  // 0: not given
};

// User errors name the option, or the file and the number of the case.
Expected<std::vector<CheckCase>> check_cases(const CheckRequest& request);

}  // namespace swizzleperf

// Runs the program of a declared workload for every tile. Private to src/workload/declared*.
#pragma once

#include <string>
#include <vector>

#include "workload/declared_program.h"
#include "workload/declared_tables.h"

namespace swizzleperf::declared {

// An array with its figures evaluated; strides in elements.
struct Array {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t element_bytes = 1;
  int64_t bytes = 0;
};

// What the slots of the known names hold first: pid, pid_x, pid_y, pid_z. The others are in `values` already.
enum TileSlot { kPid, kPidX, kPidY, kPidZ, kTileSlots };

struct RunInput {
  const std::vector<Array>& arrays;
  const std::vector<Table>& tables;
  std::vector<int64_t> values;  // by slot of the known names
  int64_t wave_lanes = 64;
  int64_t max_steps = 0;  // of all tiles together
};

// Fills patterns, accesses, phases and tiles of `workload`, whose grid is set.
Expected<void> run_program(Program& program, RunInput input, Workload& workload);

}  // namespace swizzleperf::declared

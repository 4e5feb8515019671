// Prints a map in a target language. The printed code computes what the evaluator computes, for every launch id.
#pragma once

#include <string>

#include "swizzle/swizzle.h"

namespace swizzleperf {

enum class Target { kLanguage, kC, kHip, kCuda, kTriton };

struct PrintOptions {
  // Names that stand for the launch id and the grid in the surrounding code; HIP and CUDA: "blockIdx", "gridDim".
  std::string block_index = "blockIdx";
  std::string grid_dim = "gridDim";
  std::string result = "pid";          // prefix of the variables that receive the result: pid_x, pid_y, pid_z
  std::string prefix = "sp_";          // prefix of every other name introduced, so that none can collide
  bool guarded = true;                 // swizzle on the proven grid(s) only, identity elsewhere
  std::vector<Grid> guard_grids = {};  // further grids it was proven on, beside the swizzle's own
  std::string indent = "  ";
};

struct PrintedMap {
  std::string helpers;  // helper functions (curves), to be placed before the kernel; may be empty
  std::string body;     // statements; afterwards result_x, result_y, result_z hold the tile
  int bits = 64;        // width of the integer type that range analysis proved sufficient
  int operations = 0;   // integer operations added per workgroup
};

// HIP, CUDA: device code. C: a function `void map(int64_t wg_x, ..., int64_t grid_z, int64_t out[3])` in `body`.
// Triton: statements in Python that use tl.program_id / tl.num_programs names given in the options.
PrintedMap print_map(const Swizzle& swizzle, Target target, const PrintOptions& options = {});

}  // namespace swizzleperf

// Prints a map in a target language. The printed code computes what the evaluator computes, for every launch id.
#pragma once

#include <string>

#include "swizzle/swizzle.h"

namespace swizzleperf {

enum class Target { kLanguage, kC, kHip, kCuda, kTriton };

struct PrintOptions {
  std::string prefix = "sp_";  // of every name introduced, so that none collides with the kernel's
  // true: the map is active on the proven grids only. false: on every grid of its axes, for maps that are bijections on
  // all of them. Elsewhere the launch order stays.
  bool guarded = true;
  std::vector<Grid> guard_grids = {};  // further grids the map was proven on, beside the swizzle's own
  std::string indent = "  ";
};

struct PrintedMap {
  std::string helpers;  // functions that C and Triton need before the code; empty for HIP and CUDA
  std::string body;     // statements; afterwards <prefix>pid_x, <prefix>pid_y, <prefix>pid_z hold the tile
  int bits = 64;        // width of the integer type, which range analysis proved sufficient where the map is active
  int operations = 0;   // integer operations added per workgroup, at most: with the guard and the steps of curves
  int64_t most_workgroups = 0;  // unguarded: the map is active on grids of up to so many workgroups
};

// HIP, CUDA: statements of device code that read ::blockIdx and ::gridDim; the results are unsigned variables.
// C: one function `void <prefix>map(int64_t wg_x, wg_y, wg_z, grid_x, grid_y, grid_z, int64_t pid[3])`.
// Triton: statements in Python that read tl.program_id and tl.num_programs; the helpers are @triton.jit functions.
// The language itself: the body is the map's text.
Expected<PrintedMap> print_map(const Swizzle& swizzle, Target target, const PrintOptions& options = {});

}  // namespace swizzleperf

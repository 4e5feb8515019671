// Puts a proven map into the user's source as a minimal patch. Takes only Swizzles: an unproven map does not compile.
#pragma once

#include <string>
#include <vector>

#include "frontend/clike/source.h"
#include "swizzle/print.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {

struct RewriteOptions {
  bool guarded = true;                   // false only for families that are bijections on every grid
  std::vector<Grid> guard_grids = {};    // further grids the map was proven on
};

struct Rewritten {
  std::string source;       // the whole file after the rewrite; line endings as before
  std::string patch;        // unified diff, applies with `patch -p1` / `git apply`
  int bits = 0;             // of the index arithmetic
  int operations = 0;       // integer operations added per workgroup
};

// Unsupported (with the line) when a read of the block id cannot be covered: never missed. User error when the kernel
// already carries a SwizzlePerf remap.
Expected<Rewritten> rewrite_kernel(const Case& the_case, const KernelInfo& kernel, const Swizzle& swizzle,
                                   const RewriteOptions& options = {});

}  // namespace swizzleperf

// Puts a proven map into the user's source as a minimal patch. Takes only Swizzles: an unproven map does not compile.
#pragma once

#include <string>
#include <vector>

#include "frontend/clike/source.h"
#include "rewrite/edits.h"
#include "swizzle/print.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {

struct RewriteOptions {
  bool guarded = true;                 // false only for families that are bijections on every grid
  std::vector<Grid> guard_grids = {};  // further grids the map was proven on
};

struct Rewritten {
  std::string source;           // the whole file after the rewrite; line endings as before
  std::string patch;            // unified diff; see patch_path for where it applies
  std::vector<Edit> edits;      // of the original: the remaps inserted and the reads replaced
  int bits = 0;                 // of the index arithmetic
  int operations = 0;           // integer operations added per workgroup, at most
  int64_t most_workgroups = 0;  // unguarded: grids of more keep their order; 0: guarded
};

// The remap goes into the kernel's body and into every helper, lambda and method that reads the block id where the
// kernel's own `blockIdx` is not visible. Unsupported (with the line) when a read cannot be covered: never missed. User
// error when the file already carries a SwizzlePerf remap there.
Expected<Rewritten> rewrite_kernel(const Case& the_case, const KernelInfo& kernel, const Swizzle& swizzle,
                                   const RewriteOptions& options = {});

// What a list of edits makes of the kernel's source.
Rewritten assemble(const Case& the_case, const KernelInfo& kernel, std::vector<Edit> edits);

// The path in a patch's header: the source relative to the case's folder, where `git apply` and `patch -p1` take it;
// the bare file name, to be applied in the source's own folder, where the source lies outside of the case's folder.
std::string patch_path(const Case& the_case);

// Undoes a rewrite and compares with the original byte by byte; every edit must be an inserted remap or a read of the
// block id replaced by another; the patch must lead to the same text; and the result, parsed again, must have the same
// signature and no other read of the real block id. The error says what is off.
Expected<void> check_rewritten(const Case& the_case, const KernelInfo& kernel, const Rewritten& rewritten);

}  // namespace swizzleperf

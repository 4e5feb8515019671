// Where a rewritten kernel goes: a patch file, or the source itself with a backup.
#pragma once

#include <string>

#include "frontend/clike/source.h"
#include "rewrite/rewrite.h"

namespace swizzleperf {

struct OutputOptions {
  std::string patch_file;  // empty: none; "-": stdout is the caller's business
  bool in_place = false;
};

// Writes what was asked for, atomically. In place: the original is kept beside the source as NAME.orig, and a user
// error says so when that exists already or when the source changed since it was read. Returns what was written, one
// line each.
Expected<std::vector<std::string>> write_outputs(const OutputOptions& options, const Case& the_case,
                                                 const KernelInfo& kernel, const Rewritten& rewritten);

// The same for a verb that is done but for this: says on stderr what was written, or why not. Returns the exit code.
int finish_with_outputs(const OutputOptions& options, const Case& the_case, const KernelInfo& kernel,
                        const Rewritten& rewritten);

}  // namespace swizzleperf

// The instrumentation of a kernel's memory accesses. Private to the front end.
#pragma once

#include <filesystem>

#include "base/error.h"

namespace swizzleperf {

// Reads LLVM bitcode, joins neighbouring accesses as a GPU's compiler does where the alignment is known (a struct of
// eight halves that is aligned to 16 bytes is one access, not eight), puts a call before every access, and writes the
// result.
Expected<void> instrument_accesses(const std::filesystem::path& bitcode, const std::filesystem::path& instrumented);

}  // namespace swizzleperf

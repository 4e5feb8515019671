// The kernel's arguments as it takes them.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/clike/host/library.h"
#include "frontend/clike/host/memory.h"

namespace swizzleperf::host {

// An argument's bytes, aligned for any type.
using ArgumentStorage = std::vector<std::max_align_t>;

// Storage of the arguments; ends the process with a message where they do not fit the kernel's own parameters.
std::vector<ArgumentStorage> make_arguments(const Library& library, const std::vector<Buffer>& buffers);

}  // namespace swizzleperf::host

// The kernel's arguments as it takes them.
#pragma once

#include <array>
#include <vector>

#include "frontend/clike/host/library.h"
#include "frontend/clike/host/memory.h"

namespace swizzleperf::host {

// Storage of the arguments; ends the process with a message where they do not fit the kernel's own parameters.
std::vector<std::array<unsigned char, 16>> make_arguments(const Library& library, const std::vector<Buffer>& buffers);

}  // namespace swizzleperf::host

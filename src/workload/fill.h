// Initial contents of a buffer, element by element, so that any part can be filled at any time.
#pragma once

#include "workload/case.h"

namespace swizzleperf {

// Writes elements first ... first + count - 1 of a kRandom, kZeros or kIota buffer. Element i depends on (seed, i)
// only. kNpy buffers are filled from the file by the caller.
void fill_buffer(const Argument& argument, int64_t first, int64_t count, void* out);

// A scalar as it lies in memory, little endian: `integer` for integer types, `real`, rounded to nearest, for others.
std::string scalar_bytes(DType dtype, int64_t integer, double real);

}  // namespace swizzleperf

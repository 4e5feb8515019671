// Inline assembly of CUDA sources, which a compiler for the CPU does not understand. Private to the front end.
#pragma once

#include <string>

namespace swizzleperf {

// Turns every `asm volatile("..." : "=r"(x) : "l"(p) : "memory")` into a call of the shim's sp_ptx, which runs it.
// Lines stay where they are; what is no such statement stays as it is.
std::string call_assembly(const std::string& text);

}  // namespace swizzleperf

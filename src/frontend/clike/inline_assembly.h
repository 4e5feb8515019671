// Inline assembly, which a compiler for the CPU does not understand. Private to the front end.
#pragma once

#include <string>

namespace swizzleperf {

// For CUDA sources. Turns every `asm volatile("..." : "=r"(x) : "l"(p) : "memory")` into a call of the shim's sp_ptx,
// which runs it. Lines stay where they are; what is no such statement stays as it is.
std::string call_assembly(const std::string& text);

// The text with the constraints of operands replaced by `g`, "whatever there is", as GPU registers mean nothing to a
// compiler for the CPU that is only to read the source. Every other byte stays where it is.
std::string neutral_constraints(std::string text);

}  // namespace swizzleperf

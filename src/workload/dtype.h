// Element types of arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace swizzleperf {

enum class DType { kF16, kBf16, kF32, kF64, kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64 };

int64_t size_of(DType type);        // bytes of an element
std::string to_string(DType type);  // "fp16", "bf16", "fp32", "fp64", "int8", ...
std::optional<DType> dtype_named(const std::string& name);
std::vector<std::string> dtype_list();  // all names
std::string dtype_names();              // all of them, with blanks between

bool is_floating(DType type);

// The largest finite number of a floating type.
double largest_number(DType type);

// What an integer type holds, as far as 64-bit signed integers go: uint64 ends at 2^63 - 1.
int64_t smallest_integer(DType type);
int64_t largest_integer(DType type);

}  // namespace swizzleperf

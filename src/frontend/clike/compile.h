// Where the shim headers and the child program are, and how a kernel is compiled for the CPU. Private to the front end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "workload/case.h"

namespace swizzleperf {

// The file name that the lines around the user's source carry.
inline constexpr const char* kEntryName = "swizzleperf_entry";

std::filesystem::path shim_folder();         // headers that stand in for HIP's and CUDA's
std::filesystem::path device_shim_folder();  // the same for compiling to an AMD GPU without ROCm
std::filesystem::path nvidia_shim_folder();  // HIP's names for nvcc
Expected<std::filesystem::path> trace_host();

// -I, -D and language options that every compilation of a case's source shares.
std::vector<std::string> source_options(const Case& the_case);

// The compiler's first diagnostics as an error: the first `error:` line with its place; unsupported where it speaks of
// a name of HIP or CUDA that the shim does not know.
Error compile_error(const std::string& diagnostics, const std::string& source);

}  // namespace swizzleperf

// Triton's cache: a folder for each compiled kernel, with its metadata (NAME.json) and its IR (NAME.ttir).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

struct CachedKernel {
  std::string name;
  std::filesystem::path metadata;  // the .json file
  std::filesystem::path ir;        // the .ttir file; empty where there is none
  std::string target;              // "cuda:90", "hip:gfx942"; empty: unknown
  std::optional<int64_t> warps;
  std::optional<int64_t> shared_bytes;
  std::string version;                  // of Triton
  std::vector<std::string> parameters;  // of the IR, "a_ptr: pointer to fp16"
  std::vector<std::string> grid_axes;   // "x", "y", "z" that it reads
  std::string problem;                  // why its IR says nothing
};

// By name, then by folder. User error where the folder cannot be read; a group that is broken is listed with its
// problem.
Expected<std::vector<CachedKernel>> read_triton_cache(const std::filesystem::path& folder);

}  // namespace swizzleperf

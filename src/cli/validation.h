// A folder of measurements (validation/README.md): what was measured, the maps, and which rows count.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/accuracy.h"

namespace swizzleperf {

// Names of the figures that a table may have beside the metric's.
inline constexpr const char* kTimeFigure = "time, ms";
inline constexpr const char* kSectorFigure = "L2 sector hits, %";
inline constexpr const char* kFabricFigure = "L2 fabric, sectors";
inline constexpr const char* kLlcFigure = "LLC hits, %";

struct ValidationMap {
  AccuracyRow row;
  std::string text;  // of the map; empty: the kernel's own order
};

struct ValidationKernel {
  std::string name;
  std::filesystem::path case_file;  // empty: there is none
  std::vector<ValidationMap> maps;
};

struct ValidationSet {
  std::string gpu;  // the folder's name
  Metric metric = Metric::kL2HitPercent;
  std::vector<ValidationKernel> kernels;  // sorted
};

// User error with file and line for a missing column, a broken figure or a core row that was not measured.
Expected<ValidationSet> load_validation(const std::filesystem::path& folder);

}  // namespace swizzleperf

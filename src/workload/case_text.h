// A case as it stands in its file, before the sizes of a variant are known. Private to src/workload.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workload/case.h"

namespace swizzleperf {

// An expression as it stands in the file, with its place.
struct Expression {
  std::string text;
  Place place;
};

// A scalar's value.
struct ScalarText {
  Expression value;            // with its place, also where the value is `real`
  std::optional<double> real;  // a floating scalar given as a number
};

// A field of a struct that the kernel takes by value.
struct FieldText {
  std::string name;
  DType dtype = DType::kF32;
  ScalarText scalar;
};

struct ArgumentText {
  std::string name;
  DType dtype = DType::kF32;
  bool buffer = false;
  ScalarText scalar;              // neither buffer nor struct
  std::vector<FieldText> fields;  // of a struct
  std::vector<Expression> shape;
  Init init;
  bool output = false;
  bool poisoned = false;
  double tolerance = 0;
  Place place;
};

inline constexpr int64_t kMaxBufferBytes = int64_t{1} << 40;
inline constexpr int64_t kMaxThreads = 1024;

// [compiled.ARCH] of a Triton case.
struct CompiledText {
  std::optional<Expression> warps;
  std::optional<Expression> shared;
  std::optional<Expression> registers;
};

struct Case::Text {
  std::string file;
  std::vector<Expression> grid;
  std::vector<Expression> block;    // empty in a Triton case
  std::optional<Expression> warps;  // of a Triton case
  std::map<std::string, CompiledText> compiled;
  std::optional<Expression> shared;
  std::optional<Expression> occupancy;
  std::string occupancy_source;
  std::optional<Expression> flops;
  std::string flops_dtype = "fp32";
  bool flops_matrix = false;
  std::vector<std::pair<std::string, Expression>> sizes;  // common to all variants
  std::map<std::string, std::vector<std::pair<std::string, Expression>>> variants;
  std::vector<ArgumentText> arguments;
};

}  // namespace swizzleperf

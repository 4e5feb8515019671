// Case: what a user hands in: a kernel, its launch and its arguments, for one or several named sizes (variants).
// Reference of the TOML format: docs/case-file.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "swizzle/expr.h"
#include "swizzle/grid.h"
#include "workload/declared.h"
#include "workload/dtype.h"

namespace swizzleperf {

enum class Dialect { kHip, kCuda };

// What a compiler said that a Triton kernel needs, for one architecture.
struct CompiledFigures {
  int64_t warps = 1;
  int64_t shared_bytes = 0;
  int64_t registers = 0;  // 32-bit vector registers a lane; 0: unknown
};

struct Init {
  enum class Kind { kRandom, kZeros, kIota, kNpy };
  Kind kind = Kind::kRandom;
  uint64_t seed = 0;           // kRandom: element i depends on (seed, i) only
  double low = -1, high = 1;   // kRandom: range [low, high) (floats) or [low, high] (integers)
  std::filesystem::path file;  // kNpy, absolute
};

// One kernel argument with everything evaluated for a variant.
struct Argument {
  std::string name;
  DType dtype = DType::kF32;
  bool buffer = false;
  // scalar
  int64_t integer = 0;  // value of an integer scalar
  double real = 0;      // value of a floating scalar
  std::string bytes;    // a struct that is passed by value, as it lies in memory; empty for a scalar
  // buffer
  std::vector<int64_t> shape;
  int64_t elements = 0;  // product of shape
  Init init;
  bool output = false;    // compared by the gate
  bool poisoned = false;  // an output without `init`: filled with 0xFB bytes, so that an unwritten element shows
  double tolerance = 0;   // 0: bit-equal
};

// A case evaluated for one variant: plain numbers, ready to run.
struct CaseInstance {
  std::string variant;
  Sizes sizes;
  Grid grid;
  Grid block;                // threads per workgroup; of a Triton case nothing: see `warps`
  int64_t warps = 0;         // of a Triton case: waves per program, 32 or 64 lanes each as the GPU has them
  int64_t shared_bytes = 0;  // dynamic shared memory
  std::vector<Argument> arguments;
  std::optional<double> flops;
  std::string flops_dtype = "fp32";
  bool flops_matrix = false;                        // the flops run on matrix units
  std::optional<int64_t> occupancy;                 // workgroups per compute unit, as the case states it
  std::string occupancy_source;                     // where the case says that it is from
  std::map<std::string, CompiledFigures> compiled;  // of a Triton case, by architecture
};

// What an argument is, whatever the sizes are.
struct ArgumentOutline {
  std::string name;
  DType dtype = DType::kF32;
  bool buffer = false;
  bool structure = false;  // of `fields`, without a dtype
  Place place;
};

class Case {
 public:
  std::string name;
  std::filesystem::path file;    // the case file, absolute
  std::filesystem::path source;  // the kernel's source, absolute; empty for a declared case, and for Triton IR alone
  std::string kernel;            // function name, may be qualified: "ns::gemm", and instantiated: "gemm<float>"
  Dialect dialect = Dialect::kHip;
  std::vector<std::string> defines;  // "NAME=VALUE" for the compiler
  std::vector<std::filesystem::path> include_folders;
  std::map<std::string, std::filesystem::path> ir;  // of a Triton case: the IR by variant, absolute
  std::shared_ptr<const DeclaredKernel> declared;   // what the kernel touches, where the case has no source
  std::vector<ArgumentOutline> arguments;
  std::string default_variant;
  std::vector<std::string> variants;  // names, the default first
  bool triton() const { return !ir.empty(); }
  // `overrides`: sizes of the variant that take these values instead. User error for unknown names, and for figures out
  // of range.
  Expected<CaseInstance> instance(const std::string& variant, const Sizes& overrides = {}) const;

  // Text of every expression, kept so that instance() can evaluate them: defined in case_text.h.
  struct Text;
  std::shared_ptr<const Text> text;
};

// User error with file, line and field for everything that is missing, unknown, of the wrong type or contradictory.
Expected<Case> load_case(const std::filesystem::path& file);
Expected<Case> parse_case(const std::string& toml_text, const std::filesystem::path& file_name);

}  // namespace swizzleperf

// Contents of buffers by rule. Depends on the standard library only, so that the program that runs kernels on a GPU
// fills its buffers with the very code that fills those of the CPU.
#pragma once

#include <cstdint>

#include "workload/dtype.h"

namespace swizzleperf {

struct ContentsRule {
  enum class Kind { kRandom, kZeros, kIota, kData };  // kData: filled by whoever has the data; zeros here
  Kind kind = Kind::kZeros;
  uint64_t seed = 0;          // kRandom: element i depends on (seed, i) only
  double low = -1, high = 1;  // kRandom: range [low, high) (floats) or [low, high] (integers)
};

// Writes elements first ... first + count - 1.
void fill_elements(DType dtype, const ContentsRule& rule, int64_t first, int64_t count, void* out);

// Rounded to nearest even. REQUIRES: not NaN.
uint16_t to_f16(float value);
uint16_t to_bf16(float value);

}  // namespace swizzleperf

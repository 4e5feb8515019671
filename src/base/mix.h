// A 64-bit mixing function for hashes and for pseudo-random numbers that depend on a seed alone.
#pragma once

#include <cstdint>

namespace swizzleperf {

constexpr uint64_t kMixStep = 0x9E3779B97F4A7C15ULL;

// The output of splitmix64 (Steele, Lea, Flood 2014) for the state x: a bijection of 64-bit numbers.
inline uint64_t mix(uint64_t x) {
  x += kMixStep;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace swizzleperf

#include "model/line_cache.h"

#include <bit>
#include <cstring>

namespace swizzleperf {
namespace {

// One source for all kernels: clang makes of these vectors what the target has. 16 lanes of 16 bits.
using Lanes = uint16_t __attribute__((vector_size(32)));
using LaneBits = bool __attribute__((ext_vector_type(16)));
constexpr size_t kAhead = 12;  // accesses whose set is on its way to the nearest cache

// Ways 0 .. w are all ones in the 16 lanes that begin at kUpTo[16 - w]; so are all of them for w = 16, a miss.
constexpr uint16_t kOnes = 0xFFFF;
alignas(64) constexpr uint16_t kUpTo[33] = {kOnes, kOnes, kOnes, kOnes, kOnes, kOnes, kOnes, kOnes, kOnes,
                                            kOnes, kOnes, kOnes, kOnes, kOnes, kOnes, kOnes, kOnes};

template <bool kTells>
[[gnu::always_inline]] inline size_t access_lines(uint16_t* tags, const LineCode* codes, size_t count, uint32_t* missed,
                                                  LineCode* victims) {
  size_t misses = 0;
  for (size_t i = 0; i < count; ++i) {
    const LineCode code = codes[i];
    if (i + kAhead < count) __builtin_prefetch(tags + codes[i + kAhead].set() * LineCache::kWays, 1);
    uint16_t* set = tags + code.set() * LineCache::kWays;
    Lanes ways, changes;
    std::memcpy(&ways, set, sizeof ways);
    const Lanes key = Lanes{} + code.tag();
    const auto found = std::bit_cast<uint16_t>(__builtin_convertvector(ways == key, LaneBits));
    if constexpr (kTells) {
      missed[misses] = static_cast<uint32_t>(i);
      victims[misses] = LineCode(code.set(), set[LineCache::kWays - 1]);
    }
    // The way where it was, 16 on a miss: all ways before it move back by one, and it goes to the front.
    const auto way = static_cast<size_t>(std::countr_zero(found | 0x10000U));
    misses += way / LineCache::kWays;
    std::memcpy(&changes, kUpTo + LineCache::kWays - way, sizeof changes);
    const Lanes moved = __builtin_shufflevector(ways, key, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    const Lanes result = (moved & changes) | (ways & ~changes);
    std::memcpy(set, &result, sizeof result);
  }
  return misses;
}

template <bool kTells>
size_t access_portable(uint16_t* tags, const LineCode* codes, size_t count, uint32_t* missed, LineCode* victims) {
  return access_lines<kTells>(tags, codes, count, missed, victims);
}

#if defined(__x86_64__)
template <bool kTells>
[[gnu::target("avx2,bmi")]] size_t access_vector(uint16_t* tags, const LineCode* codes, size_t count, uint32_t* missed,
                                                 LineCode* victims) {
  return access_lines<kTells>(tags, codes, count, missed, victims);
}
bool processor_has_it() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0;
}
#else
template <bool kTells>
constexpr auto access_vector = access_portable<kTells>;
bool processor_has_it() {
  return false;
}
#endif

}  // namespace

bool has_vector_kernel() {
  static const bool has = processor_has_it();
  return has;
}

LineCache::Kernels LineCache::kernels_of(LineKernel kernel) {
  if (kernel == LineKernel::kBest && has_vector_kernel()) return {access_vector<true>, access_vector<false>};
  return {access_portable<true>, access_portable<false>};
}

LineCache::LineCache(size_t sets, LineKernel kernel) : tags_(sets * kWays, kNoTag), kernels_(kernels_of(kernel)) {}

}  // namespace swizzleperf

// A set-associative cache of lines: 16 ways, exact least-recently-used order in every set, batches of accesses at once.
//
// A set is 16 tags of 16 bits, newest first: 32 bytes, half of a line of the host's cache, so that an L2 of 4 MiB takes
// 64 KiB. A tag is a line's number among the lines of its set that the launch touches (model/line_stream.h), not an
// address: 65,535 lines a set are enough for 16 GiB. A use compares all ways at once and moves the tag to the front by
// a shuffle, without a branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace swizzleperf {

// A line as the cache knows it: set and tag in one word, which moves through the kernels as one.
class LineCode {
 public:
  LineCode() = default;
  LineCode(uint32_t set, uint32_t tag) : bits_(set << 16U | tag) {}
  uint32_t set() const { return bits_ >> 16U; }
  uint16_t tag() const { return static_cast<uint16_t>(bits_); }
  bool operator==(const LineCode&) const = default;

 private:
  uint32_t bits_ = 0;
};

enum class LineKernel {
  kBest,      // AVX2 where this processor has it
  kPortable,  // what every processor runs; the results are the same
};

class LineCache {
 public:
  static constexpr size_t kWays = 16;
  static constexpr uint16_t kNoTag = 0xFFFF;  // of an empty way; never a line's tag
  static constexpr size_t kMaxSets = 1U << 16U;

  // REQUIRES: 0 < sets <= kMaxSets
  explicit LineCache(size_t sets, LineKernel kernel = LineKernel::kBest);

  // Uses codes[0 .. count-1] in order and returns how many missed. missed[k] is the place of the k-th miss in `codes`,
  // victims[k] what left for it, tag kNoTag where a way was empty; both must have room for `count` entries.
  size_t access(const LineCode* codes, size_t count, uint32_t* missed, LineCode* victims) {
    return kernels_.telling(tags_.data(), codes, count, missed, victims);
  }

  // The same where nobody asks which lines missed and left.
  size_t count_misses(const LineCode* codes, size_t count) {
    return kernels_.counting(tags_.data(), codes, count, nullptr, nullptr);
  }

 private:
  using Function = size_t (*)(uint16_t*, const LineCode*, size_t, uint32_t*, LineCode*);
  struct Kernels {
    Function telling = nullptr;
    Function counting = nullptr;
  };
  static Kernels kernels_of(LineKernel kernel);

  std::vector<uint16_t> tags_;
  Kernels kernels_;
};

// True where LineKernel::kBest is not the portable kernel.
bool has_vector_kernel();

}  // namespace swizzleperf

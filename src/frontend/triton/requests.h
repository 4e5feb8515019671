// From the addresses of one load or store to what its wave instructions request. Private to src/frontend/triton.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "frontend/triton/datum.h"
#include "workload/workload.h"

namespace swizzleperf::triton {

// How a kernel's tensors lie in its threads: `threads` of them in waves of `lanes`.
struct Launch {
  int64_t threads = 128;
  int64_t lanes = 32;
};

// Elements of a structured access: `bytes` each, at base + the sum of the axes' terms, where the mask holds.
struct Elements {
  const Type* type = nullptr;  // of the pointers
  int64_t bytes = 1;
  const Datum* pointers = nullptr;
  const Datum* mask = nullptr;  // null: all
};

// A pattern and where it lies relative to the pointers' base.
struct Placed {
  int64_t offset = 0;
  int32_t pattern = -1;  // -1: no element is active
};

// Patterns are made once: accesses of one shape, stride, mask and alignment share theirs.
class Patterns {
 public:
  explicit Patterns(const Launch& launch) : launch_(launch) {}
  // Of a structured access. Triton spreads a tensor over threads so that neighbouring lanes hold neighbouring bytes, up
  // to 16 of them each (its coalescing pass); what a wave instruction's lanes request is merged as the GPU does.
  Placed structured(const Elements& elements, int site);
  // Of a gather: addresses in row-major order, `active` where the mask holds. One pattern for each wave instruction,
  // with one segment for each 128 bytes that its lanes fall into; offsets from the addresses of `origins`.
  struct Wave {
    int64_t origin = 0;
    int32_t pattern = 0;
  };
  std::vector<Wave> gathered(const std::vector<int64_t>& addresses, int64_t bytes);
  int32_t one(int64_t bytes);  // a single segment
  const Pattern& at(int32_t pattern) const { return patterns_[static_cast<size_t>(pattern)]; }

 private:
  struct Recent {  // of a site: an access in a loop mostly repeats the one before
    Datum pointers, mask;
    bool masked = false;
    int64_t alignment = 0;
    Placed placed;
  };
  Placed make(const Elements& elements);
  int32_t intern(Pattern pattern);

  Launch launch_;
  std::vector<Pattern> patterns_;
  std::unordered_map<std::string, Placed> known_;
  std::unordered_map<std::string, int32_t> interned_;
  std::unordered_map<int, Recent> recent_;
};

}  // namespace swizzleperf::triton

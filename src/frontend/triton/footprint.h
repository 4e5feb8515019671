// Turns a program's accesses into a footprint. Private to src/frontend/triton.
#pragma once

#include "frontend/clike/trace.h"
#include "frontend/triton/evaluate.h"

namespace swizzleperf::triton {

// Collects the accesses of one program at a time.
class FootprintSink : public AccessSink {
 public:
  FootprintSink(const CaseInstance& instance, const Launch& launch);
  // `prefix` > 0: stops at the first phase end behind so many segments.
  void begin(int64_t tile, int64_t prefix);
  void access(const AccessEvent& event) override;
  void end_phase() override;
  bool enough() const override { return stopped_; }
  TracedTile finish();

 private:
  void add(int buffer, AccessKind kind, int64_t origin, int32_t pattern);
  Workload empty_;
  Patterns patterns_;
  TracedTile tile_;
  std::unordered_map<int32_t, int32_t> local_;  // pattern -> index in the tile's own list
  int64_t prefix_ = 0;
  int64_t segments_ = 0;
  bool stopped_ = false;
};

}  // namespace swizzleperf::triton

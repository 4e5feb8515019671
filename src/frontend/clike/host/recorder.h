// Records the global memory accesses of one workgroup, aligns lanes into wave instructions, and cuts them into phases.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "workload/workload.h"

namespace swizzleperf::host {

// One wave instruction on one buffer: the coalesced byte ranges of the lanes that take part.
struct Instruction {
  uint32_t site = 0;
  uint32_t epoch = 0;  // barriers passed before it
  int16_t buffer = 0;
  AccessKind kind = AccessKind::kLoad;
  int lanes = 0;
  bool uniform = true;    // every lane reads the same bytes
  bool repeated = false;  // the site has been there before in this workgroup
  std::vector<Segment> segments;
};

class Recorder {
 public:
  void begin(int threads, int wave_lanes);
  // `offset` inside `buffer`; `site` is the return address of the access.
  void access(int thread, uint32_t epoch, uintptr_t site, int buffer, int64_t offset, int size, AccessKind kind);
  int64_t segments() const { return segments_; }  // coalesced so far, an estimate while lanes are still arriving
  int64_t instructions() const { return instructions_; }

  struct Group {
    int16_t array = 0;
    AccessKind kind = AccessKind::kLoad;
    int64_t origin = 0;
    std::vector<Segment> segments;
    std::vector<uintptr_t> sites;  // of the instructions that the group gathers, in order
  };
  using Phase = std::vector<Group>;
  // The phases of the workgroup: the k-th phase of every wave, merged.
  std::vector<Phase> finish();

 private:
  struct Wave {
    std::vector<Instruction> instructions;
    std::unordered_map<uint64_t, uint32_t> index;  // (site, occurrence, buffer, kind) -> instruction
  };
  uint32_t site_index(uintptr_t site);
  static std::vector<int> cut_phases(std::vector<Instruction>& instructions);

  int wave_lanes_ = 64;
  std::vector<Wave> waves_;
  std::vector<std::vector<uint32_t>> occurrences_;  // by thread, by site
  std::unordered_map<uintptr_t, uint32_t> sites_;
  std::vector<uintptr_t> site_addresses_;  // by index
  uintptr_t last_site_ = 0;
  uint32_t last_index_ = 0;
  int64_t segments_ = 0;
  int64_t instructions_ = 0;
};

}  // namespace swizzleperf::host

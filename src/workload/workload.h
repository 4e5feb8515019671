// Workload: grid + footprints: which bytes every tile touches, in which order. Independent of GPU caches and of maps.
//
// A tile's footprint is a list of *phases* (the requests between two waits); a phase is a list of accesses; an access
// is a *pattern* (byte segments relative to an origin, shared by many tiles) placed at an origin. Regular kernels have
// few patterns; an irregular kernel stores one for every access.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "swizzle/grid.h"

namespace swizzleperf {

enum class AccessKind : uint8_t {
  kLoad,        // vector load
  kScalarLoad,  // uniform over the wave, in a loop: AMD sends one 64 B request that bypasses the L1
  kStore,
  kAtomic,  // read-modify-write at the L2
};
inline bool writes(AccessKind kind) {
  return kind == AccessKind::kStore || kind == AccessKind::kAtomic;
}

// `bytes` contiguous bytes at `offset` from the access's origin, as one wave instruction requests them.
// `repeat` = how many wave instructions of the phase request exactly this segment.
struct Segment {
  int64_t offset = 0;
  int32_t bytes = 0;
  int32_t repeat = 1;
  bool operator==(const Segment&) const = default;
};

struct Pattern {
  std::vector<Segment> segments;  // in request order
  bool operator==(const Pattern&) const = default;
};

struct Access {
  int64_t origin = 0;   // byte offset inside the array; pattern offsets are added to it
  int32_t pattern = 0;  // index into Workload::patterns
  int16_t array = 0;    // index into Workload::arrays
  AccessKind kind = AccessKind::kLoad;
  uint8_t site = 0;  // index into Workload::sites; 0: unknown
};

struct ArrayInfo {
  std::string name;
  int64_t bytes = 0;
  int64_t element_bytes = 1;
};

// Compressed rows: phases of tile t are phase_begin[tile_begin[t]] ... ; accesses of phase p are
// accesses[phase_begin[p]] .. accesses[phase_begin[p + 1] - 1].
struct Workload {
  std::string name;
  Grid grid;
  int64_t threads_per_workgroup = 256;
  std::vector<ArrayInfo> arrays;  // in order of allocation
  std::vector<Pattern> patterns;
  std::vector<int64_t> tile_begin;   // grid.size() + 1 entries: first phase of a tile
  std::vector<int64_t> phase_begin;  // number of phases + 1 entries: first access of a phase
  std::vector<Access> accesses;
  // Where in the kernel's code the accesses of a site are: offsets in the library that was traced. The first entry
  // stands for accesses of unknown places.
  std::vector<std::vector<uint64_t>> sites;
  std::optional<double> flops;  // of the whole launch, where the case states it
  std::string flops_dtype = "fp32";
  bool flops_matrix = false;
  int64_t occupancy = 1;         // workgroups per compute unit
  std::string occupancy_source;  // "case", "compiled for gfx942: 128 VGPRs", "assumed"
  std::string order_dependence;  // empty, or why what a workgroup stores depends on what ran before it
  std::string footprint_source;  // "affine in the workgroup ids, checked on 8 tiles", "all tiles traced", "declared"
};

}  // namespace swizzleperf

// Objects: sets of cache lines that are always touched together, with equal request counts, and lie in one L2 channel.
// The engines move objects, not lines: the lines of an object enter and age as one. They also leave as one, which
// differs from lines only where a list fills up in the middle of an object (docs/model.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_spec.h"
#include "model/macros.h"
#include "workload/workload.h"

namespace swizzleperf {

// One object as one access touches it, with what the engines need of the object itself: one load of memory, not three.
struct Touch {
  int32_t object = 0;
  int32_t lines = 0;    // of the object
  int32_t first = 0;    // requests that are needed once: loads one a line (AMD) or sector (NVIDIA) that is touched
  int32_t repeats = 0;  // further requests of the same access to the same units
  int32_t list = 0;     // of the object: which LRU list of the L2 it lies on
  AccessKind kind = AccessKind::kLoad;
  bool last = true;   // of its access: no touch after it
  uint8_t parts = 0;  // of a store: the parts of each line that it writes, a bit each, lowest address first
};

// A distinct access (array, pattern, origin, kind): its touches are touches[begin] .. touches[end - 1].
struct ObjectAccess {
  int32_t begin = 0;
  int32_t end = 0;
};

constexpr int64_t kLineParts = 4;  // parts of a line whose being dirty is told apart

struct ObjectStream {
  int64_t channels = 1;         // of one L2
  int64_t lists = 1;            // LRU lists of one L2: its channels; its sets where lines are simulated one by one
  int64_t list_lines = 1;       // that a list holds
  int64_t granule_bytes = 128;  // a line here: the L2's line, or the sector where sectors are fetched singly (NVIDIA)
  int64_t part_bytes = 64;      // of a line, that is written back by itself: a store request, at most kLineParts a line
  std::vector<int32_t> lines;   // by object: its size in lines
  std::vector<int16_t> channel;  // by object
  std::vector<int16_t> array;    // by object: whose lines they are
  std::vector<int64_t> line;     // by object, where each is one line: its address in lines
  std::vector<Touch> touches;
  std::vector<ObjectAccess> distinct;
  std::vector<int32_t> accesses;    // as in Workload: the first touch of each; -1 where an access touches nothing
  std::vector<int64_t> tile_begin;  // as in Workload
  std::vector<int64_t> phase_begin;
  Macros macros;                         // empty where each object is one line
  int64_t total_lines = 0;               // distinct lines of the launch: compulsory misses
  int64_t least_requests = 0;            // requests of all tiles if every repeated read of a tile hit the L1
  int64_t compulsory_load_requests = 0;  // load requests of each object's first use, where a load touches it at all
  int64_t touch_count = 0;               // touches of one whole launch: the work of a simulation
};

// Calls visit(touch) for every touch of a phase, in order.
template <class Visit>
void for_each_touch(const ObjectStream& stream, int64_t phase, Visit visit) {
  const auto end = static_cast<size_t>(stream.phase_begin[static_cast<size_t>(phase) + 1]);
  for (auto a = static_cast<size_t>(stream.phase_begin[static_cast<size_t>(phase)]); a < end; ++a) {
    if (stream.accesses[a] < 0) continue;
    const Touch* touch = &stream.touches[static_cast<size_t>(stream.accesses[a])];
    while (true) {
      visit(*touch);
      if (touch->last) break;
      ++touch;
    }
  }
}

enum class Granularity {
  kObjects,  // lines that are always touched together are one object
  kLines,    // every line is an object by itself, and lies in its set of the L2
};

// Addresses: arrays start at multiples of 2 MiB, array i a further 1 KiB * (i mod 4) on: allocations do not all start
// on the same channel (docs/model.md). channel(a) = (a / interleave) mod channels.
Expected<ObjectStream> build_objects(const Workload& workload, const GpuSpec& gpu,
                                     Granularity granularity = Granularity::kObjects);

}  // namespace swizzleperf

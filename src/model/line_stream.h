// The accesses of a launch line by line, for the line engine.
#pragma once

#include "model/line_cache.h"
#include "model/objects.h"

namespace swizzleperf {

// The lines of one distinct access, which the engine uses in a batch: touches and codes [begin, begin + count).
struct LineRun {
  int32_t begin = 0;
  int32_t count = 0;
  int64_t requests = 0;  // where no L1 takes any
  AccessKind kind = AccessKind::kLoad;
};

struct LineStream {
  ObjectStream objects;            // each object is a line
  std::vector<LineRun> runs;       // distinct accesses that touch anything
  std::vector<int32_t> accesses;   // as in Workload: the run of each; -1 where an access touches nothing
  bool coded = false;              // the L2 has the shape of a LineCache; what follows is empty otherwise
  std::vector<LineCode> codes;     // by touch
  std::vector<int64_t> set_begin;  // by set as coded: where its lines begin in line_of
  std::vector<int32_t> line_of;    // the lines of each set, in the order of their tags
  int32_t line(LineCode code) const { return line_of[static_cast<size_t>(set_begin[code.set()] + code.tag())]; }
};

// As build_objects(); unsupported as well where the lines are too many to simulate one by one.
Expected<LineStream> build_lines(const Workload& workload, const GpuSpec& gpu);

}  // namespace swizzleperf

// Where a line of an L2 may lie: its channel, and its set within the channel.
#pragma once

#include <cstdint>

#include "gpu/gpu_spec.h"

namespace swizzleperf {

// Consecutive chunks of `chunk_lines` lines go to the channels in turn; a channel's lines are numbered without gaps,
// and the set comes from that number (SetIndex). Without ways a channel is one set of all its lines.
struct SetShape {
  int64_t channels = 1;
  int64_t chunk_lines = 1;
  int64_t sets = 1;  // of a channel
  int64_t ways = 1;
  SetIndex index = SetIndex::kXorFold;
};

// The sides of an L2 that keep copies of their own (NVIDIA); one where there are none.
struct Sides {
  int64_t count = 1;
  int64_t bytes = 0;  // of one side
};
Sides sides_of(const GpuSpec& gpu);

// Of an L2 of `bytes`, its lines `line_bytes` long.
SetShape set_shape(const CacheSpec& l2, int64_t bytes, int64_t line_bytes);

// 0 .. channels * sets - 1, for a line of any address: line >= 0 is address / line_bytes.
int64_t set_of(const SetShape& shape, int64_t line);

}  // namespace swizzleperf

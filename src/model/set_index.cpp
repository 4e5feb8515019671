#include "model/set_index.h"

#include <algorithm>
#include <bit>

namespace swizzleperf {
namespace {

// The exclusive or of all groups of `bits` bits of a number.
int64_t fold(int64_t number, int bits) {
  int64_t result = 0;
  for (auto rest = static_cast<uint64_t>(number); rest != 0; rest >>= bits)
    result ^= static_cast<int64_t>(rest & ((uint64_t{1} << bits) - 1));
  return result;
}

}  // namespace

Sides sides_of(const GpuSpec& gpu) {
  if (gpu.dispatch == Dispatch::kRoundRobin) return {1, gpu.l2.bytes};
  return gpu.domains * gpu.l2_partitions >= 2 ? Sides{2, gpu.l2.bytes * gpu.domains / 2} : Sides{1, gpu.l2.bytes};
}

SetShape set_shape(const CacheSpec& l2, int64_t bytes, int64_t line_bytes) {
  SetShape shape{.channels = l2.channels, .index = l2.set_index};
  shape.chunk_lines = std::max<int64_t>(1, l2.channel_interleave_bytes / line_bytes);
  const int64_t lines = std::max<int64_t>(1, bytes / line_bytes / l2.channels);
  shape.ways = l2.ways > 0 ? std::min(l2.ways, lines) : lines;
  shape.sets = lines / shape.ways;
  return shape;
}

int64_t set_of(const SetShape& shape, int64_t line) {
  const int64_t chunk = line / shape.chunk_lines;
  const int64_t channel = chunk % shape.channels;
  if (shape.sets == 1) return channel;
  const int64_t in_channel = chunk / shape.channels * shape.chunk_lines + line % shape.chunk_lines;
  const int bits = std::bit_width(static_cast<uint64_t>(shape.sets - 1));
  const int64_t folded = shape.index == SetIndex::kXorFold ? fold(in_channel, bits) : in_channel;
  return channel * shape.sets + folded % shape.sets;
}

}  // namespace swizzleperf

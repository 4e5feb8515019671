// Macro objects: objects that exactly the same tiles touch. They show which tiles, and so which L2 domains under an
// order, do the same but for the names of what they touch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace swizzleperf {

struct ObjectStream;

struct Macros {
  std::vector<int32_t> of;           // by object
  std::vector<int32_t> rank;         // by object: its place among the objects of its macro
  std::vector<int64_t> begin;        // by macro: where its objects begin in `objects`; one entry more
  std::vector<int32_t> objects;      // of each macro, by rank
  std::vector<int64_t> weight;       // by macro: lines
  std::vector<uint64_t> type;        // by macro: equal when sizes and lists of all ranks are
  std::vector<int64_t> tile_begin;   // by tile: where its macros begin in tile_macros; one entry more
  std::vector<int32_t> tile_macros;  // of each tile, in the order of their first touch
  std::vector<uint64_t> tile_shape;  // by tile: equal when the touches are, objects named by (place of their macro in
                                     // the tile, rank)
};

Macros find_macros(const ObjectStream& stream);

// What the tiles of one queue come to. Two queues with one signature touch the same sequence of objects after a
// renaming that keeps sizes and lists: the k-th macro of one is the k-th of the other, rank by rank. Every cache that
// sees only one of them then hits and misses alike.
struct QueueShape {
  std::array<uint64_t, 2> signature = {1, 2};
  std::vector<int32_t> macros;  // in the order of their first touch
};

// Of the tiles order[first], order[first + stride] ...; negative ones are left out.
QueueShape shape_of_queue(const Macros& macros, const std::vector<int32_t>& order, size_t first, size_t stride);

}  // namespace swizzleperf

#include "model/macros.h"

#include <unordered_map>

#include "base/mix.h"
#include "model/objects.h"

namespace swizzleperf {
namespace {

void add(uint64_t& hash, uint64_t value) {
  hash = mix(hash * kMixStep + value);
}

// Calls visit(touch) for every touch of a tile, and end_phase() after each of its phases.
template <class Visit, class End>
void for_each_touch_of(const ObjectStream& stream, size_t tile, Visit visit, End end_phase) {
  for (int64_t phase = stream.tile_begin[tile]; phase < stream.tile_begin[tile + 1]; ++phase) {
    for_each_touch(stream, phase, visit);
    end_phase();
  }
}

// Objects with one set of tiles: equal sums of the tiles' random numbers.
void group_objects(const ObjectStream& stream, Macros& macros) {
  const size_t tiles = stream.tile_begin.size() - 1, objects = stream.lines.size();
  std::vector<uint64_t> signature(objects, 0);
  std::vector<size_t> seen(objects, SIZE_MAX);
  std::vector<int32_t> list(objects, 0);
  for (size_t tile = 0; tile < tiles; ++tile) {
    const auto visit = [&](const Touch& touch) {
      const auto object = static_cast<size_t>(touch.object);
      if (seen[object] != tile) signature[object] += mix(tile + 1);
      seen[object] = tile;
      list[object] = touch.list;
    };
    for_each_touch_of(stream, tile, visit, [] {});
  }
  std::unordered_map<uint64_t, int32_t> known;
  std::vector<int32_t> size;
  for (size_t object = 0; object < objects; ++object) {
    const auto [found, added] = known.try_emplace(signature[object], static_cast<int32_t>(size.size()));
    const auto macro = static_cast<size_t>(found->second);
    if (added) {
      size.push_back(0);
      macros.weight.push_back(0);
      macros.type.push_back(0);
    }
    macros.of.push_back(found->second);
    macros.rank.push_back(size[macro]++);
    macros.weight[macro] += stream.lines[object];
    add(macros.type[macro], static_cast<uint64_t>(stream.lines[object]) << 32U | static_cast<uint32_t>(list[object]));
  }
  macros.begin.push_back(0);
  for (const int32_t members : size) macros.begin.push_back(macros.begin.back() + members);
  macros.objects.resize(objects);
  for (size_t object = 0; object < objects; ++object)
    macros.objects[static_cast<size_t>(macros.begin[static_cast<size_t>(macros.of[object])] + macros.rank[object])] =
        static_cast<int32_t>(object);
}

void describe_tiles(const ObjectStream& stream, Macros& macros) {
  const size_t tiles = stream.tile_begin.size() - 1;
  std::vector<size_t> seen(macros.weight.size(), SIZE_MAX);
  std::vector<uint64_t> place(macros.weight.size(), 0);
  macros.tile_begin.push_back(0);
  for (size_t tile = 0; tile < tiles; ++tile) {
    uint64_t shape = 0;
    const auto visit = [&](const Touch& touch) {
      const auto object = static_cast<size_t>(touch.object);
      const auto macro = static_cast<size_t>(macros.of[object]);
      if (seen[macro] != tile) {
        seen[macro] = tile;
        place[macro] = macros.tile_macros.size() - static_cast<size_t>(macros.tile_begin.back());
        macros.tile_macros.push_back(macros.of[object]);
      }
      add(shape, place[macro] << 32U | static_cast<uint32_t>(macros.rank[object]));
      add(shape, static_cast<uint64_t>(touch.first) << 32U | static_cast<uint32_t>(touch.repeats));
      add(shape, static_cast<uint64_t>(touch.kind) << 8U | touch.parts);
    };
    for_each_touch_of(stream, tile, visit, [&] { add(shape, UINT64_MAX); });
    macros.tile_shape.push_back(shape);
    macros.tile_begin.push_back(static_cast<int64_t>(macros.tile_macros.size()));
  }
}

}  // namespace

Macros find_macros(const ObjectStream& stream) {
  Macros macros;
  group_objects(stream, macros);
  describe_tiles(stream, macros);
  return macros;
}

QueueShape shape_of_queue(const Macros& macros, const std::vector<int32_t>& order, size_t first, size_t stride) {
  QueueShape shape;
  std::vector<int32_t> number(macros.weight.size(), -1);
  const auto add_to_both = [&](uint64_t value) {
    add(shape.signature[0], value);
    add(shape.signature[1], value ^ 0xD6E8FEB86659FD93ULL);
  };
  for (size_t id = first; id < order.size(); id += stride) {
    if (order[id] < 0) continue;
    const auto tile = static_cast<size_t>(order[id]);
    add_to_both(macros.tile_shape[tile]);
    for (int64_t m = macros.tile_begin[tile]; m < macros.tile_begin[tile + 1]; ++m) {
      const int32_t macro = macros.tile_macros[static_cast<size_t>(m)];
      int32_t& known = number[static_cast<size_t>(macro)];
      if (known < 0) {
        known = static_cast<int32_t>(shape.macros.size());
        shape.macros.push_back(macro);
        add_to_both(macros.type[static_cast<size_t>(macro)]);
      }
      add_to_both(static_cast<uint64_t>(known));
    }
  }
  return shape;
}

}  // namespace swizzleperf

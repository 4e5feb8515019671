#include "model/footprint.h"

#include <algorithm>
#include <unordered_map>

namespace swizzleperf {
namespace {

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33U)) * 0xFF51AFD7ED558CCDULL;
  x = (x ^ (x >> 33U)) * 0xC4CEB9FE1A85EC53ULL;
  return x ^ (x >> 33U);
}

// Calls visit(object) once for every object of a tile.
template <class Visit>
void for_each_object(const ObjectStream& stream, int64_t tile, std::vector<int64_t>& seen, Visit visit) {
  const auto t = static_cast<size_t>(tile);
  for (int64_t phase = stream.tile_begin[t]; phase < stream.tile_begin[t + 1]; ++phase) {
    for_each_touch(stream, phase, [&](const Touch& touch) {
      int64_t& last = seen[static_cast<size_t>(touch.object)];
      if (last != tile) visit(touch.object);
      last = tile;
    });
  }
}

}  // namespace

FootprintModel::FootprintModel(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy)
    : domains_(gpu.dispatch == Dispatch::kRoundRobin ? static_cast<size_t>(gpu.domains) : 1),
      round_robin_(gpu.dispatch == Dispatch::kRoundRobin),
      slots_((round_robin_ ? gpu.cus_per_domain : gpu.cus_per_domain * gpu.domains) * occupancy),
      // Data that both sides of a two-sided L2 use takes space twice: it holds half.
      capacity_(gpu.l2.bytes / stream.granule_bytes / gpu.l2_partitions),
      line_bytes_(stream.granule_bytes) {
  const auto tiles = static_cast<int64_t>(stream.tile_begin.size()) - 1;
  std::vector<uint64_t> signature(stream.lines.size(), 0);
  std::vector<int64_t> seen(stream.lines.size(), -1);
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const uint64_t random = mix(static_cast<uint64_t>(tile) + 1);
    for_each_object(stream, tile, seen, [&](int32_t object) { signature[static_cast<size_t>(object)] += random; });
  }
  std::unordered_map<uint64_t, int32_t> macros;
  std::vector<int32_t> macro_of(stream.lines.size());
  for (size_t o = 0; o < signature.size(); ++o) {
    const auto [found, added] = macros.try_emplace(signature[o], static_cast<int32_t>(weights_.size()));
    if (added) weights_.push_back(0);
    weights_[static_cast<size_t>(found->second)] += stream.lines[o];
    macro_of[o] = found->second;
  }
  std::fill(seen.begin(), seen.end(), -1);
  std::vector<int64_t> taken(weights_.size(), -1);
  tile_begin_.push_back(0);
  for (int64_t tile = 0; tile < tiles; ++tile) {
    for_each_object(stream, tile, seen, [&](int32_t object) {
      const int32_t macro = macro_of[static_cast<size_t>(object)];
      if (taken[static_cast<size_t>(macro)] == tile) return;
      taken[static_cast<size_t>(macro)] = tile;
      tile_macros_.push_back(macro);
    });
    tile_begin_.push_back(static_cast<int64_t>(tile_macros_.size()));
  }
}

double FootprintModel::cost(const Order& order) const {
  const auto size = static_cast<int64_t>(order.size());
  std::vector<int64_t> last_wave(weights_.size());
  std::vector<int64_t> through;  // lines touched by waves 0 .. w
  int64_t total = 0;
  int64_t busiest = 0;
  for (size_t d = 0; d < domains_; ++d) {
    std::fill(last_wave.begin(), last_wave.end(), -1);
    through.assign(1, 0);
    int64_t misses = 0;
    int64_t id = static_cast<int64_t>(d);
    for (int64_t wave = 0; id < size; ++wave) {
      int64_t touched = 0;
      for (int64_t slot = 0; slot < slots_ && id < size; ++slot, id += static_cast<int64_t>(domains_)) {
        const int32_t tile = order[static_cast<size_t>(id)];
        if (tile < 0) continue;
        for (int64_t m = tile_begin_[static_cast<size_t>(tile)]; m < tile_begin_[static_cast<size_t>(tile) + 1]; ++m) {
          const auto macro = static_cast<size_t>(tile_macros_[static_cast<size_t>(m)]);
          const int64_t last = last_wave[macro];
          if (last == wave) continue;
          // Still there when all that was touched since its last use fits beside it.
          const bool resident =
              last >= 0 && through[static_cast<size_t>(wave)] - through[static_cast<size_t>(last)] <= capacity_;
          if (!resident) misses += weights_[macro];
          touched += weights_[macro];
          last_wave[macro] = wave;
        }
      }
      through.push_back(through.back() + touched);
    }
    total += misses;
    busiest = std::max(busiest, misses);
  }
  return static_cast<double>(total + busiest * static_cast<int64_t>(domains_)) / 2 * static_cast<double>(line_bytes_);
}

}  // namespace swizzleperf

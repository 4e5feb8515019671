#include "model/footprint.h"

#include <algorithm>

namespace swizzleperf {

FootprintModel::FootprintModel(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy)
    : domains_(gpu.dispatch == Dispatch::kRoundRobin ? static_cast<size_t>(gpu.domains) : 1),
      round_robin_(gpu.dispatch == Dispatch::kRoundRobin),
      slots_((round_robin_ ? gpu.cus_per_domain : gpu.cus_per_domain * gpu.domains) * occupancy),
      // Data that both sides of a two-sided L2 use takes space twice: it holds half.
      capacity_(gpu.l2.bytes / stream.granule_bytes / gpu.l2_partitions),
      line_bytes_(stream.granule_bytes),
      weights_(stream.macros.weight),
      tile_begin_(stream.macros.tile_begin),
      tile_macros_(stream.macros.tile_macros) {}

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

#include "search/neighbours.h"

#include <cstdlib>
#include <vector>

#include "search/tile_digits.h"

namespace swizzleperf {

int64_t row_length(const Workload& workload) {
  if (workload.grid.axes() > 1) return workload.grid.x;
  const TileDigits tile = find_tile_digits(workload);
  return tile.digits.size() > 1 ? tile.digits.back() : workload.grid.size();
}

Nearness nearness(const Order& order, int64_t row, const GpuSpec& gpu, int64_t occupancy) {
  const bool dealt = gpu.dispatch == Dispatch::kRoundRobin;
  const int64_t domains = dealt ? gpu.domains : 1;
  const int64_t slots = occupancy * (dealt ? gpu.cus_per_domain : gpu.cus_per_domain * gpu.domains);
  std::vector<int32_t> launch(order.size());
  for (size_t w = 0; w < order.size(); ++w) launch[static_cast<size_t>(order[w])] = static_cast<int32_t>(w);
  const auto near = [&](int64_t a, int64_t b) {
    const int64_t first = launch[static_cast<size_t>(a)];
    const int64_t second = launch[static_cast<size_t>(b)];
    return first % domains == second % domains && std::abs(first / domains - second / domains) < slots;
  };
  const auto size = static_cast<int64_t>(order.size());
  int64_t fast = 0, fast_pairs = 0, slow = 0, slow_pairs = 0;
  for (int64_t tile = 0; tile < size; ++tile) {
    if (tile % row + 1 < row && tile + 1 < size) {
      ++fast_pairs;
      fast += near(tile, tile + 1) ? 1 : 0;
    }
    if (tile + row < size) {
      ++slow_pairs;
      slow += near(tile, tile + row) ? 1 : 0;
    }
  }
  const auto share = [](int64_t part, int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  };
  return {share(fast, fast_pairs), share(slow, slow_pairs)};
}

}  // namespace swizzleperf

#include "search/tile_digits.h"

#include <algorithm>

namespace swizzleperf {
namespace {

constexpr size_t kMostDigits = 4;

int64_t first_access(const Workload& workload, int64_t tile) {
  return workload.phase_begin[static_cast<size_t>(workload.tile_begin[static_cast<size_t>(tile)])];
}

// Origins of the first load of each array by a tile; -1 where it has none.
std::vector<int64_t> first_origins(const Workload& workload, int64_t tile) {
  std::vector<int64_t> origins(workload.arrays.size(), -1);
  for (int64_t a = first_access(workload, tile); a < first_access(workload, tile + 1); ++a) {
    const Access& access = workload.accesses[static_cast<size_t>(a)];
    int64_t& origin = origins[static_cast<size_t>(access.array)];
    if (access.kind != AccessKind::kStore && origin < 0) origin = access.origin;
  }
  return origins;
}

// The shortest block of steps along an axis after which some array's origins, which went on evenly, jump, and which
// comes again in the same way; 0 where there is none. `steps[i]` are the origins at step i.
int64_t block_length(const std::vector<std::vector<int64_t>>& steps) {
  const auto extent = static_cast<int64_t>(steps.size());
  int64_t shortest = 0;
  for (size_t array = 0; array < steps.front().size(); ++array) {
    const auto jump = [&](int64_t i) {
      return steps[static_cast<size_t>(i)][array] - steps[static_cast<size_t>(i) - 1][array];
    };
    int64_t length = 2;
    while (length < extent && jump(length) == jump(1)) ++length;
    if (length >= extent || extent % length != 0) continue;
    bool again = true;
    for (int64_t i = 1; i < length && again; ++i) again = jump(length + i) == jump(i);
    if (again && (shortest == 0 || length < shortest)) shortest = length;
  }
  return shortest;
}

// Splits an axis of `extent` steps, `stride` tiles apart, into digits, fastest first.
std::vector<int64_t> split_axis(const Workload& workload, int64_t extent, int64_t stride) {
  std::vector<int64_t> digits;
  while (extent > 3 && digits.size() + 1 < kMostDigits) {
    std::vector<std::vector<int64_t>> steps;
    for (int64_t i = 0; i < extent; ++i) steps.push_back(first_origins(workload, i * stride));
    const int64_t length = block_length(steps);
    if (length == 0) break;
    digits.push_back(length);
    extent /= length;
    stride *= length;
  }
  digits.push_back(extent);
  return digits;
}

// The digit along which the number of phases varies most, where that is by more than a tenth.
int find_uneven(const Workload& workload, const std::vector<int64_t>& digits) {
  constexpr double kNoticeable = 0.1;
  int uneven = -1;
  double most = kNoticeable;
  int64_t stride = 1;
  for (size_t d = digits.size(); d-- > 0; stride *= digits[d]) {
    int64_t fewest = INT64_MAX, largest = 0;
    for (int64_t i = 0; i < digits[d]; ++i) {
      const auto tile = static_cast<size_t>(i * stride);
      const int64_t phases = workload.tile_begin[tile + 1] - workload.tile_begin[tile];
      fewest = std::min(fewest, phases);
      largest = std::max(largest, phases);
    }
    const double spread = largest > 0 ? 1 - static_cast<double>(fewest) / static_cast<double>(largest) : 0;
    if (spread > most) {
      most = spread;
      uneven = static_cast<int>(d);
    }
  }
  return uneven;
}

}  // namespace

TileDigits find_tile_digits(const Workload& workload) {
  TileDigits result;
  const Grid& grid = workload.grid;
  int64_t stride = 1;
  std::vector<int64_t> fastest_first;
  for (const int64_t extent : {grid.x, grid.y, grid.z}) {
    if (extent > 1) {
      const auto split = split_axis(workload, extent, stride);
      fastest_first.insert(fastest_first.end(), split.begin(), split.end());
    }
    stride *= extent;
  }
  // Too many: the slowest ones become one.
  while (fastest_first.size() > kMostDigits) {
    const int64_t slowest = fastest_first.back();
    fastest_first.pop_back();
    fastest_first.back() *= slowest;
  }
  result.digits.assign(fastest_first.rbegin(), fastest_first.rend());
  result.uneven = find_uneven(workload, result.digits);
  return result;
}

}  // namespace swizzleperf

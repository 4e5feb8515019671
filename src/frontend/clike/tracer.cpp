#include "frontend/clike/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace swizzleperf {
namespace {

bool is_store(const Access& access) {
  return access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic;
}

// The bytes of all accesses that are stores, or that are not, in order.
std::vector<std::tuple<int16_t, int64_t, int32_t>> bytes_of(const Workload& tile, bool stores) {
  std::vector<std::tuple<int16_t, int64_t, int32_t>> result;
  for (const Access& access : tile.accesses) {
    if (is_store(access) != stores) continue;
    for (const Segment& segment : tile.patterns[static_cast<size_t>(access.pattern)].segments)
      result.emplace_back(access.array, access.origin + segment.offset, segment.bytes);
  }
  return result;
}

}  // namespace

// A counter that hands out work, or places to write to, gives a workgroup that runs first something else.
Expected<void> Tracer::compare_alone(int64_t tile) {
  compared_ = true;
  const auto alone = tiles_.run({tile}, 0);
  if (!alone) return tl::unexpected(alone.error());
  const Workload &first = alone->front().footprint, &later = known_.at(tile);
  if (bytes_of(first, false) == bytes_of(later, false)) {
    if (bytes_of(first, true) != bytes_of(later, true))
      order_dependence_ = fmt::format("workgroup {} stores elsewhere when others run before it", tile);
    return {};
  }
  return unsupported(
      fmt::format("order-dependent: workgroup {} loads other locations when others run before it, as where a counter "
                  "hands out the work. No footprint belongs to a workgroup, so nothing can be predicted",
                  tile),
      {}, "derive the work from blockIdx, or declare the accesses in the case");
}

Expected<void> Tracer::need(const std::vector<int64_t>& tiles) {
  std::set<int64_t> unknown;
  std::copy_if(tiles.begin(), tiles.end(), std::inserter(unknown, unknown.end()),
               [&](int64_t tile) { return known_.count(tile) == 0; });
  auto fresh = tiles_.run({unknown.begin(), unknown.end()}, 0);
  if (!fresh) return tl::unexpected(fresh.error());
  constexpr size_t kFirstOfBoth = 2;  // processes that may have run them in turn
  int64_t suspect = -1;
  for (size_t i = 0; i < fresh->size(); ++i) {
    TracedTile& tile = (*fresh)[i];
    if (tile.result_used && i >= kFirstOfBoth) suspect = tile.tile;
    known_[tile.tile] = std::move(tile.footprint);
  }
  return suspect >= 0 && !compared_ ? compare_alone(suspect) : Expected<void>();
}

}  // namespace swizzleperf

#include "workload/site_reuse.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "workload/lines.h"

namespace swizzleperf {
namespace {

// Places of the code; one statement that reads and writes is two.
class Places {
 public:
  size_t of(const Access& access) {
    const bool stores = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic;
    const auto same = [&](const SiteReuse& place) {
      return place.site == access.site && place.array == access.array && place.stores == stores;
    };
    if (last_ < places.size() && same(places[last_])) return last_;
    last_ = static_cast<size_t>(std::find_if(places.begin(), places.end(), same) - places.begin());
    if (last_ == places.size()) {
      places.push_back({.site = access.site, .array = access.array, .stores = stores});
      lines.emplace_back();
    }
    return last_;
  }

  std::vector<SiteReuse> places;
  std::vector<LineSet> lines;  // of the launch

 private:
  size_t last_ = 0;
};

void count_lines(const Workload& workload, Places& places) {
  std::unordered_set<AccessKey, AccessKeyHash> seen;
  std::vector<int64_t> lines;
  for (const Access& access : workload.accesses) {
    const size_t place = places.of(access);
    if (!seen.insert({access.origin, access.pattern, static_cast<int32_t>(place)}).second) continue;
    lines.clear();
    append_lines(workload, access, lines);
    for (const int64_t line : lines) places.lines[place].insert(line);
  }
}

// Sums over a tile: asked for, distinct, and distinct ones that another place had before.
struct OfTile {
  int64_t asked = 0, distinct = 0, before = 0;
};

std::vector<OfTile> visit_tile(const Workload& workload, int64_t tile, Places& places) {
  std::vector<OfTile> result(places.places.size());
  std::vector<std::unordered_map<int64_t, size_t>> first(
      workload.arrays.size());  // line -> the place that had it first
  std::vector<std::unordered_set<int64_t>> own(places.places.size());
  std::vector<int64_t> lines;
  for_each_access(workload, tile, [&](const Access& access) {
    const size_t place = places.of(access);
    lines.clear();
    append_lines(workload, access, lines);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    result[place].asked += static_cast<int64_t>(lines.size());
    for (const int64_t line : lines) {
      const size_t had = first[static_cast<size_t>(access.array)].try_emplace(line, place).first->second;
      if (!own[place].insert(line).second) continue;
      ++result[place].distinct;
      if (had != place) ++result[place].before;
    }
  });
  return result;
}

}  // namespace

std::vector<SiteReuse> reuse_by_site(const Workload& workload) {
  if (workload.sites.size() < 2) return {};
  constexpr int64_t kSamples = 64;
  Places places;
  count_lines(workload, places);
  std::vector<OfTile> sums(places.places.size());
  const int64_t tiles = workload.grid.size(), samples = std::min(kSamples, tiles);
  for (int64_t i = 0; i < samples; ++i) {
    const auto tile = visit_tile(workload, sampled_tile(tiles, samples, i), places);
    for (size_t p = 0; p < sums.size(); ++p) {
      sums[p].asked += tile[p].asked;
      sums[p].distinct += tile[p].distinct;
      sums[p].before += tile[p].before;
    }
  }
  for (size_t p = 0; p < sums.size(); ++p) {
    SiteReuse& place = places.places[p];
    if (sums[p].distinct == 0) continue;
    const auto distinct = static_cast<double>(sums[p].distinct);
    place.lines_per_tile = distinct / static_cast<double>(samples);
    place.times_per_tile = static_cast<double>(sums[p].asked) / distinct;
    place.seen_before = static_cast<double>(sums[p].before) / distinct;
    place.tiles_per_line =
        place.lines_per_tile * static_cast<double>(tiles) / static_cast<double>(places.lines[p].size());
  }
  return std::move(places.places);
}

}  // namespace swizzleperf

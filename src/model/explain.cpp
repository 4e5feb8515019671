#include "model/explain.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "model/engine.h"

namespace swizzleperf {
namespace {

// Mean lines and channels of an array's accesses that are wide enough to fill every channel.
void count_channels(const ObjectStream& stream, int64_t channels, std::vector<ArrayTraffic>& arrays) {
  std::vector<int64_t> wide(arrays.size(), 0);
  for (const ObjectAccess& access : stream.distinct) {
    int64_t lines = 0;
    std::set<int16_t> used;
    for (int64_t t = access.begin; t < access.end; ++t) {
      const auto object = static_cast<size_t>(stream.touches[static_cast<size_t>(t)].object);
      lines += stream.lines[object];
      used.insert(stream.channel[object]);
    }
    if (access.begin == access.end || lines < channels) continue;
    const auto object = static_cast<size_t>(stream.touches[static_cast<size_t>(access.begin)].object);
    const auto array = static_cast<size_t>(stream.array[object]);
    ++wide[array];
    arrays[array].lines_an_access += static_cast<double>(lines);
    arrays[array].channels_an_access += static_cast<double>(used.size());
  }
  for (size_t a = 0; a < arrays.size(); ++a) {
    if (wide[a] == 0) continue;
    arrays[a].lines_an_access /= static_cast<double>(wide[a]);
    arrays[a].channels_an_access /= static_cast<double>(wide[a]);
  }
}

}  // namespace

int64_t row_pitch(const Workload& workload, int16_t array) {
  std::set<int32_t> patterns;
  for (const Access& access : workload.accesses) {
    if (access.array == array) patterns.insert(access.pattern);
  }
  std::set<int64_t> offsets;  // of the widest
  for (const int32_t index : patterns) {
    const Pattern& pattern = workload.patterns[static_cast<size_t>(index)];
    if (pattern.segments.size() <= offsets.size()) continue;
    std::set<int64_t> own;
    for (const Segment& segment : pattern.segments) own.insert(segment.offset);
    if (own.size() > offsets.size()) offsets = std::move(own);
  }
  std::map<int64_t, int> distances;
  for (auto at = offsets.begin(); at != offsets.end(); ++at) {
    if (const auto next = std::next(at); next != offsets.end()) ++distances[*next - *at];
  }
  const auto commonest = std::max_element(distances.begin(), distances.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
  return commonest == distances.end() ? 0 : commonest->first;
}

std::vector<ArrayTraffic> sum_by_array(const ObjectStream& stream, const ObjectTraffic& traffic,
                                       const std::vector<std::string>& names) {
  std::vector<ArrayTraffic> arrays;
  for (const auto& name : names) arrays.push_back({.name = name});
  for (size_t o = 0; o < stream.lines.size(); ++o) {
    ArrayTraffic& array = arrays[static_cast<size_t>(stream.array[o])];
    array.requests += traffic.requests[o];
    array.hits += traffic.half_hits[o];
    array.fetched_bytes += traffic.fetched[o];
    array.lines_bytes += stream.lines[o] * stream.granule_bytes;
    array.domains_a_line += static_cast<double>(std::popcount(traffic.domains[o])) * stream.lines[o];
  }
  for (ArrayTraffic& array : arrays) {
    array.hits /= 2;
    if (array.lines_bytes == 0) continue;
    const auto lines = static_cast<double>(array.lines_bytes) / static_cast<double>(stream.granule_bytes);
    array.fetches_a_line = static_cast<double>(array.fetched_bytes) / static_cast<double>(array.lines_bytes);
    array.domains_a_line /= lines;
  }
  count_channels(stream, stream.channels, arrays);
  return arrays;
}

}  // namespace swizzleperf

#include "model/line_stream.h"

#include <algorithm>
#include <bit>

namespace swizzleperf {
namespace {

void find_runs(LineStream& lines) {
  const ObjectStream& objects = lines.objects;
  std::vector<int32_t> run_at(objects.touches.size(), -1);  // by first touch
  for (const ObjectAccess& access : objects.distinct) {
    if (access.begin == access.end) continue;
    LineRun run{.begin = access.begin, .count = access.end - access.begin};
    for (int32_t t = access.begin; t < access.end; ++t) {
      const Touch& touch = objects.touches[static_cast<size_t>(t)];
      run.kind = touch.kind;
      run.requests += touch.kind == AccessKind::kLoad ? touch.first : touch.first + touch.repeats;
    }
    run_at[static_cast<size_t>(access.begin)] = static_cast<int32_t>(lines.runs.size());
    lines.runs.push_back(run);
  }
  lines.accesses.reserve(objects.accesses.size());
  for (const int32_t touch : objects.accesses)
    lines.accesses.push_back(touch < 0 ? -1 : run_at[static_cast<size_t>(touch)]);
}

// Where the cache keeps a set. Lines a power of two apart lie in sets a power of two apart; kept in that order, their
// addresses in the host's memory would agree in the lowest 12 bits, by which a processor guesses that a load waits for
// a store.
uint32_t place_of(int32_t set) {
  const auto number = static_cast<uint32_t>(set);
  return number ^ number >> 6U;
}

// Numbers the lines of each set in the order in which they come in the stream. False where the cache's shape or the
// number of lines of a set is beyond a LineCache.
bool code_lines(LineStream& lines) {
  const ObjectStream& objects = lines.objects;
  const size_t sets = std::bit_ceil(static_cast<size_t>(objects.lists));
  if (objects.list_lines != static_cast<int64_t>(LineCache::kWays) || sets > LineCache::kMaxSets) return false;
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> tag(objects.lines.size(), kNone);
  std::vector<uint32_t> used(sets, 0);
  for (const Touch& touch : objects.touches) {
    uint32_t& known = tag[static_cast<size_t>(touch.object)];
    if (known == kNone) known = used[place_of(touch.list)]++;
  }
  if (*std::max_element(used.begin(), used.end()) > LineCache::kNoTag) return false;
  lines.set_begin.assign(sets, 0);
  for (size_t s = 1; s < sets; ++s) lines.set_begin[s] = lines.set_begin[s - 1] + used[s - 1];
  lines.line_of.resize(objects.lines.size());
  lines.codes.reserve(objects.touches.size());
  for (const Touch& touch : objects.touches) {
    const uint32_t place = place_of(touch.list);
    lines.codes.emplace_back(place, tag[static_cast<size_t>(touch.object)]);
    lines.line_of[static_cast<size_t>(lines.set_begin[place]) + lines.codes.back().tag()] = touch.object;
  }
  return true;
}

}  // namespace

Expected<LineStream> build_lines(const Workload& workload, const GpuSpec& gpu) {
  auto objects = build_objects(workload, gpu, Granularity::kLines);
  if (!objects) return tl::unexpected(objects.error());
  LineStream lines;
  lines.objects = std::move(*objects);
  find_runs(lines);
  lines.coded = code_lines(lines);
  return lines;
}

}  // namespace swizzleperf

#include "model/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/mix.h"
#include "model/set_index.h"

namespace swizzleperf {
namespace {

constexpr int64_t kArrayAlignment = int64_t{2} << 20;
constexpr int64_t kArrayStagger = 1024;
constexpr size_t kMaxTouches = size_t{1} << 27;  // of distinct accesses: 3 GiB
constexpr int64_t kMaxLines = int64_t{1} << 30;  // 128 GiB of touched address space: 8 GiB of signatures

struct Key {
  int64_t origin;
  int32_t pattern;
  int32_t array_and_kind;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    return mix(static_cast<uint64_t>(key.origin) * 31 + static_cast<uint64_t>(key.pattern) * 1000003 +
               static_cast<uint64_t>(key.array_and_kind));
  }
};

// A line that an access touches, relative to the line of its origin.
struct LineUse {
  int64_t line = 0;
  int32_t first = 0;
  int32_t repeats = 0;
  uint8_t parts = 0;  // that the access touches, a bit each
};

// Requests of a pattern at an origin that lies `misalignment` bytes into a line.
std::vector<LineUse> line_uses(const Pattern& pattern, int64_t misalignment, int64_t line_bytes, int64_t unit_bytes,
                               int64_t part_bytes) {
  std::unordered_map<int64_t, int32_t> units;  // unit -> requests
  for (const Segment& segment : pattern.segments) {
    const int64_t begin = misalignment + segment.offset;
    for (int64_t unit = begin / unit_bytes; unit <= (begin + segment.bytes - 1) / unit_bytes; ++unit)
      units[unit] += segment.repeat;
  }
  std::unordered_map<int64_t, LineUse> lines;
  for (const auto& [unit, requests] : units) {
    LineUse& use = lines[unit * unit_bytes / line_bytes];
    ++use.first;
    use.repeats += requests - 1;
    const int64_t at = unit * unit_bytes % line_bytes;
    for (int64_t part = at / part_bytes; part <= (at + unit_bytes - 1) / part_bytes; ++part)
      use.parts = static_cast<uint8_t>(use.parts | 1U << part);
  }
  std::vector<LineUse> result;
  result.reserve(lines.size());
  for (auto& [line, use] : lines) {
    use.line = line;
    result.push_back(use);
  }
  std::sort(result.begin(), result.end(), [](const LineUse& a, const LineUse& b) { return a.line < b.line; });
  return result;
}

class Builder {
 public:
  Builder(const Workload& workload, const GpuSpec& gpu, Granularity granularity)
      : workload_(workload),
        lines_apart_(granularity == Granularity::kLines),
        gpu_(gpu),
        granule_(gpu.dispatch == Dispatch::kSingleQueue ? gpu.load_request_bytes : gpu.l2.line_bytes) {
    stream_.granule_bytes = granule_;
    stream_.channels = gpu.l2.channels;
    stream_.part_bytes = std::max(std::min(gpu.store_request_bytes, granule_), granule_ / kLineParts);
    int64_t at = 0;
    for (size_t i = 0; i < workload.arrays.size(); ++i) {
      base_.push_back(at + kArrayStagger * static_cast<int64_t>(i % 4));
      at = (base_.back() + workload.arrays[i].bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    }
    line_count_ = at / granule_ + 1;
  }

  Expected<ObjectStream> run() {
    if (line_count_ > kMaxLines)
      return unsupported(fmt::format("the arrays span {} cache lines: more than the model can hold", line_count_), {},
                         "use a smaller variant of the case");
    if (auto status = check_bounds(); !status) return tl::unexpected(status.error());
    find_distinct();
    if (lines_apart_) {
      object_of_line_.assign(static_cast<size_t>(line_count_), -1);
    } else {
      sign_lines();
    }
    if (auto status = make_objects(); !status) return tl::unexpected(status.error());
    stream_.tile_begin = workload_.tile_begin;
    stream_.phase_begin = workload_.phase_begin;
    count();
    if (!lines_apart_) stream_.macros = find_macros(stream_);
    return std::move(stream_);
  }

 private:
  int64_t unit_bytes(AccessKind kind) const {
    return kind == AccessKind::kLoad || kind == AccessKind::kScalarLoad ? gpu_.load_request_bytes
                                                                        : gpu_.store_request_bytes;
  }

  // Every access must lie inside its array: the signatures are indexed by line.
  Expected<void> check_bounds() const {
    std::vector<std::pair<int64_t, int64_t>> extents;  // of a pattern
    for (const Pattern& pattern : workload_.patterns) {
      std::pair<int64_t, int64_t> extent = {0, 0};
      for (const Segment& segment : pattern.segments) {
        extent.first = std::min(extent.first, segment.offset);
        extent.second = std::max(extent.second, segment.offset + segment.bytes);
      }
      extents.push_back(extent);
    }
    for (const Access& access : workload_.accesses) {
      const ArrayInfo& array = workload_.arrays[static_cast<size_t>(access.array)];
      const auto& extent = extents[static_cast<size_t>(access.pattern)];
      if (access.origin + extent.first < 0 || access.origin + extent.second > array.bytes) {
        return user_error(fmt::format("an access to bytes {} to {} of '{}', which has {} bytes",
                                      access.origin + extent.first, access.origin + extent.second, array.name,
                                      array.bytes));
      }
    }
    return {};
  }

  void find_distinct() {
    std::unordered_map<Key, int32_t, KeyHash> known;
    stream_.accesses.reserve(workload_.accesses.size());
    for (const Access& access : workload_.accesses) {
      const Key key{access.origin, access.pattern, access.array * 8 + static_cast<int32_t>(access.kind)};
      const auto [found, added] = known.try_emplace(key, static_cast<int32_t>(distinct_.size()));
      if (added) distinct_.push_back(access);
      stream_.accesses.push_back(found->second);
    }
  }

  const std::vector<LineUse>& uses_of(const Access& access) {
    const int64_t misalignment = (base_[static_cast<size_t>(access.array)] + access.origin) % granule_;
    const Key key{misalignment, access.pattern, static_cast<int32_t>(unit_bytes(access.kind))};
    const auto [found, added] = patterns_.try_emplace(key);
    if (added)
      found->second = line_uses(workload_.patterns[static_cast<size_t>(access.pattern)], misalignment, granule_,
                                unit_bytes(access.kind), stream_.part_bytes);
    return found->second;
  }

  int64_t first_line(const Access& access) const {
    return (base_[static_cast<size_t>(access.array)] + access.origin) / granule_;
  }

  // A line's signature is a sum of random numbers, one for each distinct access with its request counts and the parts
  // that it writes: equal sums, equal sets.
  void sign_lines() {
    signatures_.assign(static_cast<size_t>(line_count_), 0);
    for (size_t d = 0; d < distinct_.size(); ++d) {
      const uint64_t random = mix(d + 1);
      const int64_t first = first_line(distinct_[d]);
      for (const LineUse& use : uses_of(distinct_[d])) {
        signatures_[static_cast<size_t>(first + use.line)] +=
            random * (2 * static_cast<uint64_t>(use.first) + 1) + static_cast<uint64_t>(use.repeats) * (random >> 7U);
        if (writes(distinct_[d].kind))
          signatures_[static_cast<size_t>(first + use.line)] += static_cast<uint64_t>(use.parts) * (random >> 13U);
      }
    }
  }

  int64_t channel_of(int64_t line) const {
    return line / (gpu_.l2.channel_interleave_bytes / granule_) % gpu_.l2.channels;
  }

  int32_t add_object(int64_t line, int16_t array) {
    stream_.lines.push_back(0);
    stream_.channel.push_back(static_cast<int16_t>(channel_of(line)));
    stream_.array.push_back(array);
    if (lines_apart_) stream_.line.push_back(line);
    return static_cast<int32_t>(stream_.lines.size()) - 1;
  }

  int32_t object_of(int64_t line, int16_t array) {
    if (lines_apart_) {
      int32_t& object = object_of_line_[static_cast<size_t>(line)];
      if (object < 0) object = add_object(line, array);
      return object;
    }
    const auto channel = static_cast<uint64_t>(channel_of(line));
    const uint64_t key = signatures_[static_cast<size_t>(line)] * 64 + channel;
    if (key == last_key_) return last_object_;
    const auto [found, added] = objects_.try_emplace(key, 0);
    if (added) found->second = add_object(line, array);
    last_key_ = key;
    last_object_ = found->second;
    return last_object_;
  }

  Expected<void> make_objects() {
    std::vector<bool> counted(static_cast<size_t>(line_count_));
    std::unordered_map<int32_t, size_t> place;
    for (const Access& access : distinct_) {
      const auto begin = static_cast<int32_t>(stream_.touches.size());
      const int64_t first = first_line(access);
      place.clear();
      int32_t last = -1;
      size_t last_place = 0;
      for (const LineUse& use : uses_of(access)) {
        const int64_t line = first + use.line;
        const int32_t object = object_of(line, access.array);
        if (!counted[static_cast<size_t>(line)]) {
          counted[static_cast<size_t>(line)] = true;
          ++stream_.lines[static_cast<size_t>(object)];
          ++stream_.total_lines;
        }
        if (object != last) {
          const auto [found, added] = place.try_emplace(object, stream_.touches.size());
          if (added)
            stream_.touches.push_back({.object = object,
                                       .kind = access.kind,
                                       .last = false,
                                       .parts = writes(access.kind) ? use.parts : static_cast<uint8_t>(0)});
          last = object;
          last_place = found->second;
        }
        stream_.touches[last_place].first += use.first;
        stream_.touches[last_place].repeats += use.repeats;
      }
      if (stream_.touches.size() > kMaxTouches)
        return unsupported("the launch touches more cache lines than can be simulated one by one", {},
                           "use the object engine, or a smaller variant of the case");
      const auto end = static_cast<int32_t>(stream_.touches.size());
      if (end > begin) stream_.touches.back().last = true;
      stream_.distinct.push_back({begin, end});
    }
    for (int32_t& access : stream_.accesses) {
      const ObjectAccess& found = stream_.distinct[static_cast<size_t>(access)];
      access = found.begin < found.end ? found.begin : -1;
    }
    const std::vector<int32_t> lists = lay_out_lists();
    for (Touch& touch : stream_.touches) {
      touch.lines = stream_.lines[static_cast<size_t>(touch.object)];
      touch.list = lists[static_cast<size_t>(touch.object)];
    }
    return {};
  }

  // The LRU list of each object.
  std::vector<int32_t> lay_out_lists() {
    const SetShape shape = set_shape(gpu_.l2, sides_of(gpu_).bytes, granule_);
    stream_.lists = shape.channels * (lines_apart_ ? shape.sets : 1);
    stream_.list_lines =
        lines_apart_ ? shape.ways : std::max<int64_t>(1, sides_of(gpu_).bytes / granule_ / shape.channels);
    if (!lines_apart_) return {stream_.channel.begin(), stream_.channel.end()};
    std::vector<int32_t> lists;
    lists.reserve(stream_.line.size());
    for (const int64_t line : stream_.line) lists.push_back(static_cast<int32_t>(set_of(shape, line)));
    return lists;
  }

  // Least requests: each tile's reads of an object once, its stores every time.
  void count() {
    std::vector<int64_t> seen(stream_.lines.size(), -1);
    std::vector<bool> loaded(stream_.lines.size());
    for (size_t tile = 0; tile + 1 < workload_.tile_begin.size(); ++tile) {
      for (int64_t phase = stream_.tile_begin[tile]; phase < stream_.tile_begin[tile + 1]; ++phase) {
        for_each_touch(stream_, phase, [&](const Touch& touch) {
          ++stream_.touch_count;
          const auto object = static_cast<size_t>(touch.object);
          if (touch.kind != AccessKind::kLoad) {
            stream_.least_requests += touch.first + touch.repeats;
          } else if (seen[object] != static_cast<int64_t>(tile)) {
            if (!loaded[object]) stream_.compulsory_load_requests += touch.first;
            loaded[object] = true;
            seen[object] = static_cast<int64_t>(tile);
            stream_.least_requests += touch.first;
          }
        });
      }
    }
  }

  const Workload& workload_;
  bool lines_apart_;
  const GpuSpec& gpu_;
  int64_t granule_;
  std::vector<int64_t> base_;
  int64_t line_count_ = 0;
  std::vector<Access> distinct_;
  std::unordered_map<Key, std::vector<LineUse>, KeyHash> patterns_;
  std::vector<uint64_t> signatures_;
  std::unordered_map<uint64_t, int32_t> objects_;
  std::vector<int32_t> object_of_line_;
  uint64_t last_key_ = UINT64_MAX;
  int32_t last_object_ = 0;
  ObjectStream stream_;
};

}  // namespace

Expected<ObjectStream> build_objects(const Workload& workload, const GpuSpec& gpu, Granularity granularity) {
  return Builder(workload, gpu, granularity).run();
}

}  // namespace swizzleperf

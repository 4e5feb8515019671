#include "frontend/triton/requests.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "workload/segments.h"

namespace swizzleperf::triton {
namespace {

constexpr int64_t kVectorBytes = 16;   // the widest load of a lane
constexpr int64_t kGatherBytes = 128;  // a gather sends one request for each line of this size

void append(std::string& key, int64_t value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_axes(std::string& key, const Datum& datum, size_t rank) {
  for (size_t a = 0; a < rank; ++a) {
    append(key, datum.axes[a].stride);
    const Table& table = datum.axes[a].table;
    append(key, table ? static_cast<int64_t>(table->size()) : -1);
    if (table) key.append(reinterpret_cast<const char*>(table->data()), table->size() * sizeof(int64_t));
  }
}

bool same_axes(const Datum& a, const Datum& b) {
  for (size_t i = 0; i < kMaxAxes; ++i) {
    if (a.axes[i].stride != b.axes[i].stride || a.axes[i].table != b.axes[i].table) return false;
  }
  return a.form == b.form;
}

// The axis along which addresses are contiguous, else the last one.
size_t fastest_axis(const Elements& e) {
  const size_t rank = e.type->shape.size();
  for (size_t a = rank; a-- > 0;) {
    const Axis& axis = e.pointers->axes[a];
    if (e.type->shape[a] > 1 && axis.at(1) - axis.at(0) == e.bytes) return a;
  }
  return rank - 1;
}

// Bytes of a lane's vector: as Triton chooses them, from how far addresses run on and how they are aligned.
int64_t vector_elements(const Elements& e, size_t fastest, int64_t threads) {
  const Axis& along = e.pointers->axes[fastest];
  if (along.table || along.stride != e.bytes) return 1;
  int64_t alignment = std::gcd(kVectorBytes, e.pointers->base);
  for (size_t a = 0; a < e.type->shape.size(); ++a) {
    if (a == fastest) continue;
    for (int64_t i = 1; i < e.type->shape[a]; ++i) {
      alignment = std::gcd(alignment, e.pointers->axes[a].at(i));
      if (!e.pointers->axes[a].table) break;
    }
  }
  const int64_t most = std::max<int64_t>(1, e.type->elements() / threads);
  int64_t vector = 1;
  while (vector * 2 * e.bytes <= alignment && vector * 2 <= most && e.type->shape[fastest] % (vector * 2) == 0)
    vector *= 2;
  return vector;
}

// Segments of the wave instructions, equal ones counted together, in the order of their first.
class WaveSegments {
 public:
  void lane(int64_t offset, int64_t bytes) {
    if (!wave_.empty() && wave_.back().offset + wave_.back().bytes == offset) {
      wave_.back().bytes += static_cast<int32_t>(bytes);
    } else {
      wave_.push_back({offset, static_cast<int32_t>(bytes)});
    }
  }
  void end_wave() {
    coalesce(wave_);
    for (const Segment& segment : wave_) {
      const auto [place, fresh] = places_.try_emplace({segment.offset, segment.bytes}, all_.size());
      if (fresh) {
        all_.push_back(segment);
      } else {
        ++all_[place->second].repeat;
      }
    }
    wave_.clear();
  }
  std::vector<Segment> take() { return std::move(all_); }

 private:
  std::vector<Segment> wave_, all_;
  std::map<std::pair<int64_t, int32_t>, size_t> places_;
};

// Moves offsets so that the lowest is 0; returns what was taken off.
int64_t normalise(std::vector<Segment>& segments) {
  const int64_t lowest = std::min_element(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
                           return a.offset < b.offset;
                         })->offset;
  for (Segment& segment : segments) segment.offset -= lowest;
  return lowest;
}

}  // namespace

Placed Patterns::make(const Elements& e) {
  const std::vector<int64_t>& shape = e.type->shape;
  const size_t fastest = fastest_axis(e);
  const int64_t vector = vector_elements(e, fastest, launch_.threads);
  // Axes in the order in which lanes walk them, the contiguous one first.
  std::vector<size_t> order = {fastest};
  for (size_t a = shape.size(); a-- > 0;) {
    if (a != fastest) order.push_back(a);
  }
  WaveSegments waves;
  const int64_t per_wave = vector * launch_.lanes;
  std::vector<int64_t> index(shape.size(), 0);
  const int64_t elements = e.type->elements();
  for (int64_t i = 0; i < elements; ++i) {
    int64_t offset = 0;
    bool active = true;
    for (size_t a = 0; a < shape.size(); ++a) {
      offset += e.pointers->axes[a].at(index[a]);
      if (e.mask != nullptr && e.mask->axes[a].table) active = active && e.mask->axes[a].at(index[a]) != 0;
    }
    if (active) waves.lane(offset, e.bytes);
    if ((i + 1) % per_wave == 0) waves.end_wave();
    for (const size_t a : order) {
      if (++index[a] < shape[a]) break;
      index[a] = 0;
    }
  }
  waves.end_wave();
  Pattern pattern{waves.take()};
  if (pattern.segments.empty()) return {};
  const int64_t offset = normalise(pattern.segments);
  return {offset, intern(std::move(pattern))};
}

Placed Patterns::structured(const Elements& e, int site) {
  const int64_t alignment = e.pointers->base & (kVectorBytes - 1);
  Recent& recent = recent_[site];
  const bool masked = e.mask != nullptr;
  if (recent.placed.pattern >= 0 && recent.masked == masked && recent.alignment == alignment &&
      same_axes(recent.pointers, *e.pointers) && (!masked || same_axes(recent.mask, *e.mask)))
    return recent.placed;
  std::string key;
  append(key, e.bytes);
  append(key, alignment);
  append(key, static_cast<int64_t>(e.type->shape.size()));
  for (const int64_t extent : e.type->shape) append(key, extent);
  append_axes(key, *e.pointers, e.type->shape.size());
  if (masked) append_axes(key, *e.mask, e.type->shape.size());
  const auto [found, added] = known_.try_emplace(std::move(key));
  if (added) found->second = make(e);
  recent = {*e.pointers, masked ? *e.mask : Datum(), masked, alignment, found->second};
  return found->second;
}

std::vector<Patterns::Wave> Patterns::gathered(const std::vector<int64_t>& addresses, int64_t bytes) {
  std::vector<Wave> result;
  for (size_t begin = 0; begin < addresses.size(); begin += static_cast<size_t>(launch_.lanes)) {
    const size_t end = std::min(addresses.size(), begin + static_cast<size_t>(launch_.lanes));
    std::map<int64_t, std::pair<int64_t, int64_t>> lines;  // line -> first and last byte
    for (size_t i = begin; i < end; ++i) {
      if (addresses[i] < 0) continue;  // masked off
      auto& [low, high] = lines.try_emplace(addresses[i] / kGatherBytes, addresses[i], addresses[i]).first->second;
      low = std::min(low, addresses[i]);
      high = std::max(high, addresses[i] + bytes);
    }
    Pattern pattern;
    for (const auto& [line, range] : lines)
      pattern.segments.push_back({range.first, static_cast<int32_t>(range.second - range.first)});
    if (pattern.segments.empty()) continue;
    const int64_t origin = normalise(pattern.segments);
    result.push_back({origin, intern(std::move(pattern))});
  }
  return result;
}

int32_t Patterns::one(int64_t bytes) {
  return intern(Pattern{{Segment{0, static_cast<int32_t>(bytes)}}});
}

int32_t Patterns::intern(Pattern pattern) {
  std::string key;
  for (const Segment& segment : pattern.segments) {
    append(key, segment.offset);
    append(key, static_cast<int64_t>(segment.bytes) << 32U | segment.repeat);
  }
  const auto [found, added] = interned_.try_emplace(std::move(key), static_cast<int32_t>(patterns_.size()));
  if (added) patterns_.push_back(std::move(pattern));
  return found->second;
}

}  // namespace swizzleperf::triton

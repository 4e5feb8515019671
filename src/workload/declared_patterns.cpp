#include "workload/declared_patterns.h"

#include <algorithm>

namespace swizzleperf::declared {
namespace {

constexpr int64_t kGatherBytes = 128;

// Calls visit(index) for every index vector below `counts`, the last axis fastest.
template <class Visit>
void for_each_index(const std::vector<int64_t>& counts, Visit visit) {
  std::vector<int64_t> index(counts.size(), 0);
  for (;;) {
    visit(index);
    size_t axis = counts.size();
    while (axis > 0 && ++index[axis - 1] == counts[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

int64_t dot(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add_run(Pattern& pattern, int64_t offset, int64_t bytes, size_t first_of_wave) {
  if (pattern.segments.size() > first_of_wave) {
    Segment& last = pattern.segments.back();
    if (last.offset + last.bytes == offset && last.bytes + bytes <= INT32_MAX) {
      last.bytes += static_cast<int32_t>(bytes);
      return;
    }
  }
  pattern.segments.push_back({offset, static_cast<int32_t>(bytes), 1});
}

// The segments of one wave instruction: offsets of its elements in bytes.
void add_wave(Pattern& pattern, std::vector<int64_t>& offsets, int64_t element_bytes) {
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  const size_t first = pattern.segments.size();
  for (const int64_t offset : offsets) add_run(pattern, offset, element_bytes, first);
  offsets.clear();
}

// The same where elements that fall into the same 128 B are one segment.
void add_gathered_wave(Pattern& pattern, std::vector<int64_t>& offsets, int64_t element_bytes) {
  std::sort(offsets.begin(), offsets.end());
  int64_t line = -1;
  for (const int64_t offset : offsets) {
    if (offset / kGatherBytes != line) {
      line = offset / kGatherBytes;
      pattern.segments.push_back({offset, static_cast<int32_t>(element_bytes), 1});
    }
    Segment& last = pattern.segments.back();
    last.bytes = static_cast<int32_t>(offset + element_bytes - last.offset);
  }
  offsets.clear();
}

Pattern whole_rows(const Array& array, const TileShape& shape) {
  Pattern pattern;
  std::vector<int64_t> rows = shape.counts;
  const bool contiguous = array.strides.back() == 1;
  if (contiguous) rows.back() = 1;
  const int64_t bytes = (contiguous ? shape.counts.back() : 1) * array.element_bytes;
  for_each_index(rows, [&](const std::vector<int64_t>& index) {
    add_run(pattern, dot(index, array.strides) * array.element_bytes, bytes, 0);
  });
  return pattern;
}

}  // namespace

Pattern tile_pattern(const Array& array, const TileShape& shape) {
  if (shape.wave.empty() && shape.chunk == 0) return whole_rows(array, shape);
  Pattern pattern;
  std::vector<int64_t> offsets;
  if (shape.wave.empty()) {
    for_each_index(shape.counts, [&](const std::vector<int64_t>& index) {
      offsets.push_back(dot(index, array.strides) * array.element_bytes);
      if (static_cast<int64_t>(offsets.size()) == shape.chunk) add_wave(pattern, offsets, array.element_bytes);
    });
    add_wave(pattern, offsets, array.element_bytes);
    return pattern;
  }
  std::vector<int64_t> blocks(shape.counts.size());
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = (shape.counts[i] + shape.wave[i] - 1) / shape.wave[i];
  for_each_index(blocks, [&](const std::vector<int64_t>& block) {
    std::vector<int64_t> counts(block.size()), origin(block.size());
    for (size_t i = 0; i < block.size(); ++i) {
      origin[i] = block[i] * shape.wave[i];
      counts[i] = std::min(shape.wave[i], shape.counts[i] - origin[i]);
    }
    for_each_index(counts, [&](const std::vector<int64_t>& index) {
      offsets.push_back((dot(origin, array.strides) + dot(index, array.strides)) * array.element_bytes);
    });
    add_wave(pattern, offsets, array.element_bytes);
  });
  return pattern;
}

Pattern gather_pattern(const Array& array, const TileShape& shape, const std::vector<int64_t>& origin, size_t axis,
                       const std::vector<int64_t>& elements) {
  Pattern pattern;
  std::vector<int64_t> offsets;
  std::vector<int64_t> counts = shape.counts;
  counts[axis] = static_cast<int64_t>(elements.size());
  for_each_index(counts, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> at = index;
    for (size_t i = 0; i < at.size(); ++i) at[i] += origin[i];
    at[axis] = elements[static_cast<size_t>(index[axis])];
    offsets.push_back(dot(at, array.strides) * array.element_bytes);
    if (static_cast<int64_t>(offsets.size()) == shape.chunk) add_gathered_wave(pattern, offsets, array.element_bytes);
  });
  add_gathered_wave(pattern, offsets, array.element_bytes);
  return pattern;
}

}  // namespace swizzleperf::declared

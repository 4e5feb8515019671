#include "workload/segments.h"

#include <algorithm>

namespace swizzleperf {

void coalesce(std::vector<Segment>& segments) {
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.offset < b.offset; });
  size_t kept = 0;
  for (size_t i = 1; i < segments.size(); ++i) {
    Segment& last = segments[kept];
    const int64_t end = last.offset + last.bytes;
    if (segments[i].offset <= end) {
      last.bytes = static_cast<int32_t>(std::max(end, segments[i].offset + segments[i].bytes) - last.offset);
    } else {
      segments[++kept] = segments[i];
    }
  }
  segments.resize(std::min(segments.size(), kept + 1));
}

}  // namespace swizzleperf

#include "measure/plausible.h"

#include <fmt/format.h>

#include <cmath>

namespace swizzleperf {
namespace {

constexpr double kMostCounted = 9e18;  // what a count holds
constexpr double kLeastShare = 0.9;    // of the touched bytes: what the L2 still held from before is a little

}  // namespace

std::optional<int64_t> whole(std::optional<double> value) {
  if (!value || !(*value >= 0) || *value > kMostCounted) return std::nullopt;
  return std::llround(*value);
}

void drop_impossible(Counters& counters, double touched_bytes) {
  if (counters.time_ms && !(*counters.time_ms > 0 && std::isfinite(*counters.time_ms))) {
    counters.flags.emplace_back("the time is zero: it is not used");
    counters.time_ms.reset();
  }
  if (counters.l2_requests == 0) {
    counters.flags.emplace_back("no L2 requests were counted: the profiler cannot read these counters here");
    counters.l2_requests.reset();
    counters.l2_hits.reset();
    if (counters.dram_read_bytes == 0) counters.dram_read_bytes.reset();
    if (counters.dram_write_bytes == 0) counters.dram_write_bytes.reset();
  }
  if (counters.l2_requests && counters.l2_hits && *counters.l2_hits > *counters.l2_requests) {
    counters.flags.push_back(fmt::format("{} hits of {} requests: they are of different passes and are not used",  //
                                         *counters.l2_hits, *counters.l2_requests));
    counters.l2_requests.reset();
    counters.l2_hits.reset();
  }
  if (counters.dram_read_bytes && static_cast<double>(*counters.dram_read_bytes) < kLeastShare * touched_bytes) {
    counters.flags.push_back(
        fmt::format("{} bytes read from DRAM, though the launch reads {:.0f} different ones: some channels are not "
                    "counted, or the caches were not cold; the figure is not used",
                    *counters.dram_read_bytes, touched_bytes));
    counters.dram_read_bytes.reset();
  }
}

}  // namespace swizzleperf

#include "report/explain_text.h"

#include <fmt/format.h>

#include <numeric>

#include "report/text.h"

namespace swizzleperf {
namespace {

std::string fetch_sentence(const ArrayTraffic& array, const GpuSpec& gpu) {
  if (array.fetched_bytes == 0) return "";
  constexpr double kOnce = 1.05;
  if (array.fetches_a_line < kOnce)
    return fmt::format("{}: every line is fetched once, which no order can beat", array.name);
  if (gpu.dispatch == Dispatch::kSingleQueue) {
    return fmt::format("{}: a line is fetched from DRAM {:.1f} times: it leaves the L2 before its last use", array.name,
                       array.fetches_a_line);
  }
  const double by_each = array.fetches_a_line / array.domains_a_line;
  std::string text = fmt::format("{}: a line is fetched {:.1f} times, by {:.1f} of {} XCDs", array.name,
                                 array.fetches_a_line, array.domains_a_line, gpu.domains);
  if (by_each > kOnce) {
    text += fmt::format(", {:.1f} times by each: it leaves that L2 before its last use", by_each);
  } else if (array.domains_a_line > kOnce) {
    text += ", once by each: workgroups that share it run on different XCDs";
  }
  return text;
}

// Power-of-two pitches put a whole column of a matrix into one channel, whose share of the L2 is then all there is.
std::string channel_sentence(const ArrayTraffic& array, int64_t pitch, const GpuSpec& gpu) {
  const auto channels = static_cast<double>(gpu.l2.channels);
  if (array.channels_an_access == 0 || array.channels_an_access > channels / 2) return "";
  const int64_t interleave = gpu.l2.channel_interleave_bytes;
  std::string text = fmt::format("{}: an access of {:.0f} lines goes through {:.1f} of {} channels of an L2",
                                 array.name, array.lines_an_access, array.channels_an_access, gpu.l2.channels);
  if (pitch > 0 && pitch % interleave == 0 && std::gcd(pitch / interleave, gpu.l2.channels) > 1) {
    text += fmt::format(": its rows are {} B apart and channels repeat every {} B; rows padded by {} B would use all",
                        pitch, gpu.l2.channels * interleave, interleave);
  }
  return text;
}

std::string reuse_sentence(const ArrayTraffic& array) {
  if (array.hits > 0 || array.requests == 0) return "";
  if (array.domains_a_line > 1)
    return fmt::format("{}: every request misses: the parts of a line are used by {:.1f} L2s, none of them again",
                       array.name, array.domains_a_line);
  return fmt::format("{}: every request misses: nothing reuses it", array.name);
}

}  // namespace

std::string format_explanation(const std::vector<ArrayTraffic>& arrays, const Workload& workload, const GpuSpec& gpu) {
  std::vector<std::vector<std::string>> rows = {{"array", "L2 requests", "L2 hit", "touched", "fetched", "fetches/line",
                                                 gpu.dispatch == Dispatch::kRoundRobin ? "XCDs/line" : "sides/line"}};
  std::string words;
  for (size_t a = 0; a < arrays.size(); ++a) {
    const ArrayTraffic& array = arrays[a];
    if (array.requests == 0) continue;
    rows.push_back({array.name, fmt::format("{}", array.requests),
                    format_percent(static_cast<double>(array.hits) / static_cast<double>(array.requests)),
                    format_bytes(static_cast<double>(array.lines_bytes)),
                    format_bytes(static_cast<double>(array.fetched_bytes)), fmt::format("{:.2f}", array.fetches_a_line),
                    fmt::format("{:.2f}", array.domains_a_line)});
    for (const std::string& sentence : {fetch_sentence(array, gpu), reuse_sentence(array),
                                        channel_sentence(array, row_pitch(workload, static_cast<int16_t>(a)), gpu)}) {
      if (!sentence.empty()) words += "  " + sentence + "\n";
    }
  }
  return format_table(rows) + words;
}

Json to_json(const std::vector<ArrayTraffic>& arrays) {
  Json json = Json::array();
  for (const auto& array : arrays) {
    json.push_back({{"name", array.name},
                    {"l2_requests", array.requests},
                    {"l2_hits", array.hits},
                    {"touched_bytes", array.lines_bytes},
                    {"fetched_bytes", array.fetched_bytes},
                    {"fetches_a_line", array.fetches_a_line},
                    {"domains_a_line", array.domains_a_line},
                    {"lines_an_access", array.lines_an_access},
                    {"channels_an_access", array.channels_an_access}});
  }
  return json;
}

}  // namespace swizzleperf

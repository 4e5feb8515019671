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

// "(gemm.hip:31, 40)": where the array is loaded, or stored where nothing loads it.
std::string places_of(const CodePlaces& code, int16_t array) {
  std::string names;
  for (const bool stores : {false, true}) {
    for (const SiteReuse& place : code.reuse) {
      const std::string& name = code.names[place.site];
      if (place.array == array && place.stores == stores && !name.empty() && names.find(name) == std::string::npos)
        names += (names.empty() ? "" : ", ") + name;
    }
    if (!names.empty()) return " (" + names + ")";
  }
  return "";
}

std::string place_sentence(const SiteReuse& place) {
  constexpr double kOnce = 1.005;
  constexpr double kAll = 0.995;
  std::string text;
  if (place.seen_before > kAll) {
    text = "asks for nothing but lines that the workgroup had before";
  } else if (place.times_per_tile < kOnce && place.tiles_per_line < kOnce) {
    text = "uses each line once: nothing is reused here";
  } else {
    text = fmt::format("uses a line in {:.1f} workgroups, {:.1f} times in each", place.tiles_per_line,
                       place.times_per_tile);
    if (place.seen_before > 1 - kAll)
      text += fmt::format("; {} of its lines the workgroup had before", format_percent(place.seen_before));
  }
  return text;
}

std::string format_places(const CodePlaces& code, const Workload& workload) {
  std::string text;
  for (const SiteReuse& place : code.reuse) {
    const std::string& name = code.names[place.site];
    if (name.empty() || place.lines_per_tile == 0) continue;
    text += fmt::format("  {} {} {}: {:.0f} lines a workgroup; {}\n", name, place.stores ? "stores" : "loads",
                        workload.arrays[static_cast<size_t>(place.array)].name, place.lines_per_tile,
                        place_sentence(place));
  }
  return text.empty() ? text : "\nIn the code\n" + text;
}

}  // namespace

std::string format_explanation(const std::vector<ArrayTraffic>& arrays, const CodePlaces& code,
                               const Workload& workload, const GpuSpec& gpu) {
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
      if (!sentence.empty()) words += "  " + sentence + places_of(code, static_cast<int16_t>(a)) + "\n";
    }
  }
  return format_table(rows) + words + format_places(code, workload);
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

Json to_json(const CodePlaces& code, const Workload& workload) {
  Json json = Json::array();
  for (const SiteReuse& place : code.reuse) {
    json.push_back({{"place", code.names[place.site]},
                    {"array", workload.arrays[static_cast<size_t>(place.array)].name},
                    {"stores", place.stores},
                    {"lines_per_tile", place.lines_per_tile},
                    {"times_per_tile", place.times_per_tile},
                    {"tiles_per_line", place.tiles_per_line},
                    {"seen_before", place.seen_before}});
  }
  return json;
}

}  // namespace swizzleperf

#include "measure/ncu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/plausible.h"

namespace swizzleperf {
namespace {

constexpr const char* kTime = "gpu__time_duration.sum";
constexpr const char* kDramRead = "dram__bytes_read.sum";
constexpr const char* kDramWrite = "dram__bytes_write.sum";
// Sectors that the multiprocessors ask for, not those that one partition of the L2 asks the other for.
constexpr const char* kSectors = "lts__t_sectors_srcunit_tex.sum";
constexpr const char* kSectorHits = "lts__t_sectors_srcunit_tex_lookup_hit.sum";
constexpr const char* kFabric = "lts__t_sectors_srcunit_ltcfabric.sum";
constexpr const char* kHitRate = "lts__t_sector_hit_rate.pct";

// The line that names the columns, and where they are.
struct Header {
  std::vector<std::string> names;
  size_t line = 0;
  size_t column(const std::string& name) const {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  bool has(const std::string& name) const { return column(name) < names.size(); }
};

Header find_header(const std::vector<std::string_view>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("Kernel Name") == std::string_view::npos) continue;
    Header header{.names = split_csv_line(lines[i]), .line = i};
    if (header.has("ID") && header.has("Kernel Name")) return header;
  }
  return {};
}

// What ncu says when there is no table.
Error error_without_table(const std::vector<std::string_view>& lines) {
  std::string said;
  for (const std::string_view line : lines) {
    if (line.find("ERR_NVGPUCTRPERM") != std::string_view::npos)
      return {Blame::kMissing,
              "ncu may not read the performance counters",
              {},
              "run as root, or have the driver loaded with NVreg_RestrictProfilingToAdminUsers=0"};
    if (line.find("No kernels were profiled") != std::string_view::npos)
      return {Blame::kUser, "ncu profiled no kernel", {}, "check the kernel's name in the case"};
    if (said.empty() && line.rfind("==ERROR==", 0) == 0) said = line.substr(9);
  }
  if (said.empty()) return {Blame::kUser, "there is no table of ncu in this text"};
  return {Blame::kUser, "ncu failed:" + said};
}

// Page `raw`: a line a launch, a column a metric, the units in the line below the names.
std::vector<ProfiledLaunch> read_wide(const std::vector<std::string_view>& lines, const Header& header) {
  std::vector<ProfiledLaunch> launches;
  std::vector<std::string> units;
  for (size_t i = header.line + 1; i < lines.size(); ++i) {
    const auto cells = split_csv_line(lines[i]);
    if (cells.size() != header.names.size()) continue;
    const bool is_launch = profiler_number(cells[header.column("ID")]).has_value();
    if (!is_launch && units.empty()) units = cells;
    if (!is_launch) continue;
    ProfiledLaunch launch{.kernel = cells[header.column("Kernel Name")]};
    for (size_t c = 0; c < cells.size(); ++c) {
      const auto value = profiler_number(cells[c]);
      if (value) launch.figures[header.names[c]] = *value * (units.empty() ? 1 : unit_factor(units[c]));
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

// Page `details`: a line a launch and metric. Launches come in the order of their ids.
std::vector<ProfiledLaunch> read_long(const std::vector<std::string_view>& lines, const Header& header) {
  std::vector<ProfiledLaunch> launches;
  std::string last_id;
  for (size_t i = header.line + 1; i < lines.size(); ++i) {
    const auto cells = split_csv_line(lines[i]);
    if (cells.size() != header.names.size() || !profiler_number(cells[header.column("ID")])) continue;
    const std::string& id = cells[header.column("ID")];
    if (launches.empty() || id != last_id) launches.push_back({.kernel = cells[header.column("Kernel Name")]});
    last_id = id;
    const auto value = profiler_number(cells[header.column("Metric Value")]);
    if (value)
      launches.back().figures[cells[header.column("Metric Name")]] =
          *value * unit_factor(cells[header.column("Metric Unit")]);
  }
  return launches;
}

}  // namespace

std::vector<std::string> ncu_arguments(const std::string& kernel, const std::filesystem::path& table) {
  // The launches that shall be compared are the first of each variant, from cold caches, at the clocks as they are.
  return {"--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--clock-control",
          "none",
          "--cache-control",
          "all",
          "--kernel-name-base",
          "function",
          "--kernel-name",
          kernel,
          "--log-file",
          table.string(),
          "--metrics",
          fmt::format("{},{},{},{},{},{},{}", kTime, kDramRead, kDramWrite, kSectors, kSectorHits, kFabric, kHitRate)};
}

Expected<std::vector<ProfiledLaunch>> parse_ncu(const std::string& text) {
  const auto lines = split_lines(text);
  const Header header = find_header(lines);
  if (header.names.empty()) return tl::unexpected(error_without_table(lines));
  const bool is_long = header.has("Metric Name") && header.has("Metric Value") && header.has("Metric Unit");
  auto launches = is_long ? read_long(lines, header) : read_wide(lines, header);
  if (launches.empty()) return tl::unexpected(error_without_table(lines));
  return launches;
}

Counters counters_of_ncu(const ProfiledLaunch& launch, double touched_bytes) {
  Counters counters;
  const auto time = launch.figure(kTime);
  if (time) counters.time_ms = *time * 1e-6;
  counters.dram_read_bytes = whole(launch.figure(kDramRead));
  counters.dram_write_bytes = whole(launch.figure(kDramWrite));
  counters.l2_requests = whole(launch.figure(kSectors));
  counters.l2_hits = whole(launch.figure(kSectorHits));
  counters.fabric_sectors = whole(launch.figure(kFabric));
  if (launch.figure(kHitRate).value_or(0) > 100)
    counters.flags.emplace_back("the profiler reports a hit rate above 100 %: its passes do not fit together");
  drop_impossible(counters, touched_bytes);
  return counters;
}

}  // namespace swizzleperf

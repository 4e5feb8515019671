#include "gpu/consistency.h"

#include <fmt/format.h>

#include <bit>

namespace swizzleperf {
namespace {

// One rule: what must hold of a field, and how to say that it does not.
struct Rule {
  const char* section;
  const char* key;
  bool holds;
  std::string says;
};

bool is_power_of_two(int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<uint64_t>(value));
}

Rule in_range(const char* section, const char* key, int64_t value, int64_t low, int64_t high) {
  return {section, key, value >= low && value <= high, fmt::format("it must be from {} to {}", low, high)};
}

// A cache that is present, or whose line size is given.
std::vector<Rule> cache_rules(const char* section, const CacheSpec& cache) {
  return {
      {section, "line_bytes", is_power_of_two(cache.line_bytes) && cache.line_bytes >= 32 && cache.line_bytes <= 4096,
       "it must be a power of two from 32 to 4096"},
      {section, "bytes", cache.bytes == 0 || cache.bytes >= cache.line_bytes, "it is smaller than a line"}};
}

std::vector<Rule> l2_rules(const GpuSpec& gpu) {
  const CacheSpec& l2 = gpu.l2;
  const int64_t line = std::max<int64_t>(1, l2.line_bytes), channels = std::max<int64_t>(1, l2.channels);
  const int64_t lines = l2.bytes / channels / std::max<int64_t>(1, gpu.l2_partitions) / line;
  const auto request = [&](const char* key, int64_t bytes) {
    return Rule{"l2", key, bytes > 0 && line % bytes == 0, "it must divide 'l2.line_bytes'"};
  };
  return {
      request("load_request_bytes", gpu.load_request_bytes),
      request("store_request_bytes", gpu.store_request_bytes),
      in_range("l2", "channels", l2.channels, 1, 4096),
      {"l2", "channel_interleave_bytes", l2.channel_interleave_bytes >= line && l2.channel_interleave_bytes % line == 0,
       "it must be a multiple of 'l2.line_bytes'"},
      in_range("l2", "partitions", gpu.l2_partitions, 1, 2),
      {"l2", "bytes", lines >= 1, "it is smaller than a line for each channel"},
      {"l2", "ways", l2.ways <= lines, "it is more than the lines of a channel"}};
}

std::vector<Rule> rules_of(const GpuSpec& gpu) {
  std::vector<Rule> rules = {
      {"", "name", !gpu.name.empty(), "it must not be empty"},
      {"", "arch", !gpu.arch.empty(), "it must not be empty"},
      {"", "vendor", gpu.vendor == "amd" || gpu.vendor == "nvidia", "it must be amd or nvidia"},
      in_range("", "domains", gpu.domains, 1, 1024),
      in_range("", "cus_per_domain", gpu.cus_per_domain, 1, 65536),
      {"compute_unit", "wave_lanes", gpu.wave_lanes == 32 || gpu.wave_lanes == 64, "it must be 32 or 64"},
      in_range("compute_unit", "max_waves", gpu.max_waves_per_cu, 1, 1024),
      in_range("compute_unit", "max_workgroups", gpu.max_workgroups_per_cu, 0, 1024),
      in_range("compute_unit", "lds_bytes", gpu.lds_bytes_per_cu, 0, int64_t{1} << 30),
      in_range("compute_unit", "registers", gpu.registers_per_cu, 0, int64_t{1} << 30),
      {"compute_unit", "speed_spread", gpu.speed_spread >= 0 && gpu.speed_spread <= 0.5, "it must be from 0 to 0.5"},
      {"", "clock_hz", gpu.clock_hz == 0 || (gpu.clock_hz >= 1e6 && gpu.clock_hz <= 1e12),
       "it must be from 1e6 to 1e12 (1 MHz to 1 THz)"}};
  for (const auto& [section, cache] : {std::pair{"l1", gpu.l1}, std::pair{"l2", gpu.l2}, std::pair{"llc", gpu.llc}}) {
    for (Rule& rule : cache_rules(section, cache)) rules.push_back(std::move(rule));
  }
  for (Rule& rule : l2_rules(gpu)) rules.push_back(std::move(rule));
  return rules;
}

Place place_in(const toml::table& root, const std::string& file, const char* section, const std::string& key) {
  const toml::node_view<const toml::node> node = *section == '\0' ? root[key] : root[section][key];
  return node.node() == nullptr ? Place{file} : place_of(*node.node(), file);
}

// The value as it stands in the file; a figure may be a table with its source.
std::string value_in(const toml::table& root, const char* section, const std::string& key) {
  toml::node_view<const toml::node> node = *section == '\0' ? root[key] : root[section][key];
  if (node.is_table()) node = node["value"];
  if (const auto text = node.value<std::string>(); text && node.is_string()) return "'" + *text + "'";
  if (const auto whole = node.value<int64_t>(); whole && node.is_integer()) return std::to_string(*whole);
  if (const auto number = node.value<double>()) return fmt::format("{:g}", *number);
  return "absent";
}

}  // namespace

Expected<void> check_consistency(const GpuSpec& gpu, const toml::table& root, const std::string& file) {
  for (const Rule& rule : rules_of(gpu)) {
    if (rule.holds) continue;
    const std::string name = *rule.section == '\0' ? rule.key : fmt::format("{}.{}", rule.section, rule.key);
    return user_error(fmt::format("'{}' is {}: {}", name, value_in(root, rule.section, rule.key), rule.says),
                      place_in(root, file, rule.section, rule.key));
  }
  for (const auto& [mode, domains] : gpu.partitions) {
    if (gpu.domains % domains == 0) continue;
    return user_error(fmt::format("'partitions.{}' is {}: it must divide 'domains', {}", mode, domains, gpu.domains),
                      place_in(root, file, "partitions", mode));
  }
  return {};
}

}  // namespace swizzleperf

#include "gpu/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace swizzleperf {
namespace {

// Shrinks the rates of compute units to `parts` of `whole` of them.
void scale_rates(GpuSpec& gpu, int64_t parts, int64_t whole) {
  for (auto* rates : {&gpu.peak_flops, &gpu.vector_flops}) {
    for (auto& [dtype, rate] : *rates) rate *= static_cast<double>(parts) / static_cast<double>(whole);
  }
}

void note(GpuSpec& gpu, const char* key, int64_t value, const std::string& why) {
  const auto same = std::find_if(gpu.provenance.begin(), gpu.provenance.end(),
                                 [&](const Provenance& figure) { return figure.key == key; });
  const Provenance changed{key, fmt::format("{}", value), why, true};
  if (same != gpu.provenance.end()) {
    *same = changed;
  } else {
    gpu.provenance.push_back(changed);
  }
}

Expected<void> limit_units(GpuSpec& gpu, const std::string& number) {
  int64_t units = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), units);
  if (code != std::errc() || end != number.data() + number.size() || units < 1 || units > gpu.cus_per_domain) {
    return user_error(
        fmt::format("'cus={}' of {}: it must be a number from 1 to {}", number, gpu.name, gpu.cus_per_domain),
        {"--gpu"});
  }
  scale_rates(gpu, units, gpu.cus_per_domain);
  note(gpu, "cus_per_domain", units, fmt::format("cus={} asked for, of {}", units, gpu.cus_per_domain));
  gpu.cus_per_domain = units;
  return {};
}

Expected<void> set_mode(GpuSpec& gpu, std::string mode) {
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = gpu.partitions.find(mode);
  if (found == gpu.partitions.end()) {
    std::string known;
    for (const auto& [name, domains] : gpu.partitions) known += name + ", ";
    return user_error(fmt::format("{} has no partition mode '{}'", gpu.name, mode), {"--gpu"},
                      "known here: " + known + "cus=N");
  }
  scale_rates(gpu, found->second, gpu.domains);
  note(gpu, "domains", found->second, fmt::format("one partition in mode {}, of {} domains", mode, gpu.domains));
  gpu.domains = found->second;
  return {};
}

}  // namespace

std::pair<std::string, std::string> split_part(const std::string& text) {
  const size_t colon = text.rfind(':');
  // A colon before a slash belongs to a path.
  if (colon == std::string::npos || text.find('/', colon) != std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Expected<GpuSpec> take_part(GpuSpec gpu, const std::string& part) {
  std::istringstream items(part);
  for (std::string item; std::getline(items, item, ',');) {
    const auto status = item.rfind("cus=", 0) == 0 ? limit_units(gpu, item.substr(4)) : set_mode(gpu, item);
    if (!status) return tl::unexpected(status.error());
  }
  gpu.name += ":" + part;
  return gpu;
}

}  // namespace swizzleperf

#include "history/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace swizzleperf {
namespace {

using Json = nlohmann::json;

// Factors of two between them.
double octaves(double a, double b) {
  return std::abs(std::log2(std::max(a, 1e-9)) - std::log2(std::max(b, 1e-9)));
}

class Hash {
 public:
  void add(uint64_t value) { value_ = ((value_ ^ value) * 0x9E3779B97F4A7C15ULL) ^ (value_ >> 29U); }
  void add(const std::string& text) {
    for (const char c : text) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
    add(text.size());
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  uint64_t value_ = 1469598103934665603ULL;
};

}  // namespace

Fingerprint fingerprint_of(const Workload& workload, const Reuse& reuse) {
  Fingerprint result{.grid = {workload.grid.x, workload.grid.y, workload.grid.z}, .occupancy = workload.occupancy};
  for (const ArrayReuse& array : reuse.arrays) {
    result.arrays.push_back(
        {array.bytes_per_tile, array.tiles_per_line, array.shared_with_next, array.loaded, array.stored});
  }
  return result;
}

double distance(const Fingerprint& a, const Fingerprint& b) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (a.arrays.size() != b.arrays.size()) return kFar;
  double sum = octaves(static_cast<double>(a.occupancy), static_cast<double>(b.occupancy)) / 2;
  for (size_t i = 0; i < 3; ++i) {
    if ((a.grid.at(i) > 1) != (b.grid.at(i) > 1)) return kFar;
    sum += octaves(static_cast<double>(a.grid.at(i)), static_cast<double>(b.grid.at(i)));
  }
  for (size_t i = 0; i < a.arrays.size(); ++i) {
    const Fingerprint::Array& one = a.arrays[i];
    const Fingerprint::Array& other = b.arrays[i];
    if (one.loaded != other.loaded || one.stored != other.stored) return kFar;
    sum += octaves(one.bytes_per_tile + 1, other.bytes_per_tile + 1) / 2;
    sum += octaves(one.tiles_per_line + 1, other.tiles_per_line + 1) / 2;
    // Whether neighbours share is what an order turns on: a whole share more or less counts as a factor of 16.
    for (size_t axis = 0; axis < 3; ++axis)
      sum += 4 * std::abs(one.shared_with_next.at(axis) - other.shared_with_next.at(axis));
  }
  return sum;
}

std::string to_text(const Fingerprint& fingerprint) {
  Json json = {{"grid", fingerprint.grid}, {"occupancy", fingerprint.occupancy}, {"arrays", Json::array()}};
  for (const auto& array : fingerprint.arrays) {
    json["arrays"].push_back({{"bytes_per_tile", array.bytes_per_tile},
                              {"tiles_per_line", array.tiles_per_line},
                              {"shared_with_next", array.shared_with_next},
                              {"loaded", array.loaded},
                              {"stored", array.stored}});
  }
  return json.dump();
}

Expected<Fingerprint> parse_fingerprint(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Fingerprint result;
    json.at("grid").get_to(result.grid);
    json.at("occupancy").get_to(result.occupancy);
    for (const Json& one : json.at("arrays")) {
      result.arrays.push_back({one.at("bytes_per_tile").get<double>(), one.at("tiles_per_line").get<double>(),
                               one.at("shared_with_next").get<std::array<double, 3>>(), one.at("loaded").get<bool>(),
                               one.at("stored").get<bool>()});
    }
    return result;
  } catch (const Json::exception& error) {
    return user_error(fmt::format("a fingerprint in the history cannot be read: {}", error.what()));
  }
}

std::string problem_id(const Workload& workload, const GpuSpec& gpu) {
  constexpr size_t kMostAccesses = 1'000'000;  // evenly chosen: a few milliseconds
  Hash hash;
  hash.add(gpu.name);
  for (const int64_t number :
       {gpu.domains, gpu.cus_per_domain, gpu.l2.bytes, gpu.llc.bytes, workload.grid.x, workload.grid.y, workload.grid.z,
        workload.occupancy, workload.threads_per_workgroup, static_cast<int64_t>(workload.accesses.size())})
    hash.add(static_cast<uint64_t>(number));
  for (const ArrayInfo& array : workload.arrays) hash.add(static_cast<uint64_t>(array.bytes));
  const size_t step = workload.accesses.size() / kMostAccesses + 1;
  for (size_t i = 0; i < workload.accesses.size(); i += step) {
    const Access& access = workload.accesses[i];
    hash.add(static_cast<uint64_t>(access.origin));
    hash.add(static_cast<uint64_t>(access.pattern) << 32U | static_cast<uint64_t>(access.array) << 8U |
             static_cast<uint64_t>(access.kind));
  }
  return hash.text();
}

}  // namespace swizzleperf

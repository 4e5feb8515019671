#include "measure/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/profile.h"
#include "measure/statistics.h"

namespace swizzleperf {
namespace {

using Json = nlohmann::json;

constexpr double kUnsteadyClock = 0.05;  // of the fastest

Error error_of(const Json& error) {
  const std::string kind = error.at("kind"), message = error.at("message"), variant = error.at("variant");
  const std::string with = variant.empty() ? "" : fmt::format(" with '{}'", variant);
  if (kind == "missing") return {Blame::kMissing, message, {}, "`swizzleperf doctor` says what is there"};
  if (kind == "compile") return {Blame::kUser, fmt::format("the kernel does not compile{}: {}", with, message)};
  if (kind == "memory") return {Blame::kUser, fmt::format("the device has too little memory{}: {}", with, message)};
  if (kind == "device")
    return {Blame::kUser, fmt::format("the device failed{}: {}", with, message), {}, "the run ended there"};
  return {Blame::kInternal, fmt::format("the runner refused the job: {}", message)};
}

std::string describe_difference(const Json& check) {
  return fmt::format("argument {}: {} elements differ {} timing, the first is {}: {} instead of {}",
                     check.at("argument").get<std::string>(), check.at("differing").get<int64_t>(),
                     check.at("when").get<std::string>(), check.at("first").get<int64_t>(),
                     check.at("found").get<std::string>(), check.at("reference").get<std::string>());
}

VariantMeasurement read_variant(const Json& json) {
  VariantMeasurement result{
      .name = json.at("name"), .registers = json.at("registers"), .occupancy = json.at("occupancy")};
  for (const Json& check : json.at("checks")) {
    if (check.at("equal").get<bool>() || !result.equal) continue;
    result.equal = false;
    result.difference = describe_difference(check);
  }
  result.cold_ms = json.at("cold_ms").get<std::vector<double>>();
  result.warm_ms = json.at("warm_ms").get<std::vector<double>>();
  result.cold_median_ms = median(result.cold_ms);
  result.warm_median_ms = median(result.warm_ms);
  const auto energy = json.at("energy_mj").get<std::vector<double>>();
  if (!energy.empty()) result.energy_mj = median(energy);
  return result;
}

// What of the device's state makes times less certain.
void warn_of_load(const Json& before, const Json& after, Measurement& measurement) {
  if (before.is_null() || after.is_null()) {
    measurement.warnings.emplace_back("the device's clocks, load and energy cannot be read");
    return;
  }
  measurement.driver = before.value("driver", "");
  if (before.value("load_percent", 0) > 5)
    measurement.warnings.push_back(
        fmt::format("the device was {} % busy before the run", before.value("load_percent", 0)));
  if (after.value("processes", 0) > 1)
    measurement.warnings.push_back(fmt::format("{} processes used the device", after.value("processes", 0)));
  if (measurement.clock_mhz.empty()) return;
  const auto [low, high] = std::minmax_element(measurement.clock_mhz.begin(), measurement.clock_mhz.end());
  if (*low < *high * (1 - kUnsteadyClock))
    measurement.warnings.push_back(fmt::format("the clock moved between {} and {} MHz", *low, *high));
}

Measurement read_results(const Json& json) {
  Measurement result;
  const Json& device = json.at("device");
  result.device = device.at("name");
  result.api = device.at("api");
  result.compute_units = device.at("compute_units");
  result.l2_bytes = device.at("l2_bytes");
  result.flush_bytes = json.at("flush_bytes");
  result.clock_mhz = json.at("clock_mhz").get<std::vector<double>>();
  if (json.contains("note")) result.note = json.at("note").dump();
  for (const Json& variant : json.at("variants")) result.variants.push_back(read_variant(variant));
  if (result.variants.empty()) return result;
  warn_of_load(json.at("before"), json.at("after"), result);
  const VariantMeasurement& first = result.variants.front();
  result.rounds = static_cast<int>(first.cold_ms.size());
  for (VariantMeasurement& variant : result.variants) {
    if (variant.cold_ms.size() != first.cold_ms.size() || variant.warm_ms.size() != first.warm_ms.size()) continue;
    variant.cold = ratio_of_medians(first.cold_ms, variant.cold_ms);
    variant.warm = ratio_of_medians(first.warm_ms, variant.warm_ms);
  }
  return result;
}

}  // namespace

Expected<void> add_counters(Measurement& measurement, const std::string& profiler_text) {
  std::string kernel;
  double touched_bytes = 0;
  if (!measurement.note.empty()) {
    const Json note = Json::parse(measurement.note);  // read_answer() made it
    kernel = note.value("kernel", "");
    touched_bytes = note.value("touched_bytes", 0.0);
  }
  const auto api = measurement.api == "hip" ? runner::Api::kHip : runner::Api::kCuda;
  auto counters = read_counters(profiler_text, api, kernel, measurement.variants.size(), touched_bytes);
  if (!counters) return tl::unexpected(counters.error());
  for (size_t i = 0; i < counters->size(); ++i) measurement.variants[i].counters = std::move(counters->at(i));
  return {};
}

namespace {

// Calls read(json) on the answer; what is no answer, or says what went wrong, becomes an error.
template <class Result, class Read>
Expected<Result> read_text(const std::string& text, Read read) {
  try {
    const Json json = Json::parse(text);
    if (json.contains("error")) return tl::unexpected(error_of(json.at("error")));
    return read(json);
  } catch (const nlohmann::json::exception& error) {
    return internal_error(fmt::format("the runner's answer cannot be read: {}", error.what()));
  }
}

}  // namespace

Expected<Measurement> read_answer(const std::string& text) {
  return read_text<Measurement>(text, read_results);
}

Expected<DeviceOutputs> read_outputs(const std::string& text) {
  return read_text<DeviceOutputs>(text, [](const Json& json) {
    const Json& device = json.at("device");
    DeviceOutputs result{.device = device.at("name"),
                         .compute_units = device.at("compute_units"),
                         .l2_bytes = device.at("l2_bytes")};
    for (const Json& variant : json.at("variants"))
      result.variants.push_back(variant.at("outputs").get<std::vector<std::vector<double>>>());
    return result;
  });
}

}  // namespace swizzleperf

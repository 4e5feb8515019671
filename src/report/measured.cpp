#include "report/measured.h"

#include <fmt/format.h>

#include "measure/verdict.h"
#include "report/json.h"
#include "report/text.h"

namespace swizzleperf {
namespace {

// What the job carried about the orders, by name; null where there is none.
Expected<Json> read_note(const Measurement& measurement) {
  try {
    Json note = measurement.note.empty() ? Json::object() : Json::parse(measurement.note);
    Json orders = Json::object();
    for (const Json& order : note.value("orders", Json::array())) orders[order.at("name").get<std::string>()] = order;
    note["orders"] = std::move(orders);
    return note;
  } catch (const Json::exception& error) {
    return internal_error(fmt::format("the measurement's note cannot be read: {}", error.what()));
  }
}

Json ratio_json(const Ratio& ratio) {
  return {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json counters_json(const Counters& counters) {
  return {{"time_ms", optional_json(counters.time_ms)},
          {"dram_read_bytes", optional_json(counters.dram_read_bytes)},
          {"dram_write_bytes", optional_json(counters.dram_write_bytes)},
          {"l2_requests", optional_json(counters.l2_requests)},
          {"l2_hits", optional_json(counters.l2_hits)},
          {"l2_hit_rate", optional_json(counters.l2_hit_rate())},
          {"fabric_sectors", optional_json(counters.fabric_sectors)},
          {"l2_miss_bytes", optional_json(counters.l2_miss_bytes)},
          {"flags", counters.flags}};
}

Json variant_json(const VariantMeasurement& variant, const Json& orders) {
  Json json = {{"name", variant.name},
               {"equal_outputs", variant.equal},
               {"difference", variant.difference},
               {"registers", variant.registers},
               {"occupancy", variant.occupancy},
               {"cold_ms", variant.cold_median_ms},
               {"warm_ms", variant.warm_median_ms},
               {"cold_speedup", ratio_json(variant.cold)},
               {"warm_speedup", ratio_json(variant.warm)},
               {"energy_mj", optional_json(variant.energy_mj)},
               {"cold_samples_ms", variant.cold_ms},
               {"warm_samples_ms", variant.warm_ms}};
  json["counters"] = variant.counters ? counters_json(*variant.counters) : Json(nullptr);
  json["order"] = orders.value(variant.name, Json(nullptr));
  return json;
}

std::string format_ratio(const Ratio& ratio) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]{}", ratio.value, ratio.low, ratio.high,
                     ratio.faster()   ? " faster"
                     : ratio.slower() ? " slower"
                                      : "");
}

std::string predicted(const Json& orders, const std::string& name, const char* field) {
  const Json& order = orders.contains(name) ? orders.at(name) : Json();
  if (!order.is_object() || !order.contains("prediction")) return "";
  const double value = order.at("prediction").value(field, 0.0);
  return std::string(field) == "time_ms" ? format_time(value) : format_bytes(value);
}

// What `optimize --device` would decide; no variant is chosen where the note holds no predictions.
MeasuredVerdict verdict_of(const Measurement& measurement, const Json& orders) {
  std::vector<PredictedTraffic> predicted;
  for (const auto& variant : measurement.variants) {
    if (!orders.contains(variant.name)) continue;
    const Json prediction = orders.at(variant.name).value("prediction", Json::object());
    predicted.push_back({prediction.value("dram_read_bytes", int64_t{0})});
  }
  return judge(measurement, predicted);
}

// Predicted beside counted; empty without counters.
std::string counters_text(const Measurement& measurement, const Json& orders) {
  std::vector<std::vector<std::string>> rows = {
      {"order", "L2 hits", "DRAM read", "predicted", "DRAM written", "left the L2s", "time while counted"}};
  std::string flags;
  const auto bytes = [](const std::optional<int64_t>& value) {
    return value ? format_bytes(static_cast<double>(*value)) : std::string();
  };
  for (const auto& variant : measurement.variants) {
    if (!variant.counters) continue;
    const Counters& counters = *variant.counters;
    const auto rate = counters.l2_hit_rate();
    rows.push_back({variant.name, rate ? format_percent(*rate) : "", bytes(counters.dram_read_bytes),
                    predicted(orders, variant.name, "dram_read_bytes"), bytes(counters.dram_write_bytes),
                    bytes(counters.l2_miss_bytes), counters.time_ms ? format_time(*counters.time_ms) : ""});
    for (const std::string& flag : counters.flags) flags += fmt::format("note: {}: {}\n", variant.name, flag);
  }
  return rows.size() == 1 ? "" : "\n" + format_table(rows) + flags;
}

// The times of all variants, and which of them were rejected.
std::string times_text(const Measurement& measurement, const Json& note) {
  const Json& orders = note.at("orders");
  std::string text =
      fmt::format("{} ({}) measured on {}{}", note.value("case", ""), note.value("variant", ""), measurement.device,
                  measurement.driver.empty() ? "" : ", driver " + measurement.driver);
  if (measurement.rounds == 0) return text + "\n";  // counters alone
  text += fmt::format(": {} interleaved rounds\n", measurement.rounds);
  std::vector<std::vector<std::string>> rows = {{"order", "cold", "speedup [95 %]", "warm", "speedup [95 %]", "energy",
                                                 "time, predicted", "DRAM read, predicted"}};
  for (const auto& variant : measurement.variants) {
    if (!variant.equal) continue;
    rows.push_back({variant.name, format_time(variant.cold_median_ms), format_ratio(variant.cold),
                    format_time(variant.warm_median_ms), format_ratio(variant.warm),
                    variant.energy_mj ? fmt::format("{:.1f} mJ", *variant.energy_mj) : "",
                    predicted(orders, variant.name, "time_ms"), predicted(orders, variant.name, "dram_read_bytes")});
  }
  text += format_table(rows);
  for (const auto& variant : measurement.variants) {
    if (!variant.equal) text += fmt::format("rejected: {}: {}\n", variant.name, variant.difference);
  }
  return text;
}

}  // namespace

Expected<std::string> measurement_json(const Measurement& measurement) {
  const auto note = read_note(measurement);
  if (!note) return tl::unexpected(note.error());
  Json json = {{"kind", "measured"},
               {"case", note->value("case", "")},
               {"variant", note->value("variant", "")},
               {"gpu", note->value("gpu", "")},
               {"grid", note->value("grid", Json::array())},
               {"device", measurement.device},
               {"driver", measurement.driver},
               {"compute_units", measurement.compute_units},
               {"l2_bytes", measurement.l2_bytes},
               {"rounds", measurement.rounds},
               {"flush_bytes", measurement.flush_bytes},
               {"clock_mhz", measurement.clock_mhz},
               {"warnings", measurement.warnings},
               {"variants", Json::array()}};
  const MeasuredVerdict verdict = verdict_of(measurement, note->at("orders"));
  json["verdict"] = verdict.verdict;
  json["reason"] = verdict.reason;
  for (size_t i = 0; i < measurement.variants.size(); ++i) {
    json["variants"].push_back(variant_json(measurement.variants[i], note->at("orders")));
    json["variants"].back()["chosen"] = static_cast<int>(i) == verdict.chosen;
  }
  return print(json);
}

Expected<std::string> measurement_text(const Measurement& measurement) {
  const auto note = read_note(measurement);
  if (!note) return tl::unexpected(note.error());
  const Json& orders = note->at("orders");
  std::string text = times_text(measurement, *note);
  text += counters_text(measurement, orders);
  for (const std::string& warning : measurement.warnings) text += fmt::format("note: {}\n", warning);
  return text;
}

}  // namespace swizzleperf

#include "report/json.h"

namespace swizzleperf {
namespace {

// Low and high over what the hardware does not promise: the prediction itself is one of the outcomes.
Json range_json(const Prediction& prediction) {
  const auto span = [&](auto figure) {
    const Interval values = span_of(prediction, figure).value();
    return Json{{"low", values.low}, {"high", values.high}};
  };
  return {{"over", "how far workgroups drift apart"},
          {"l2_hit_rate", span([](const Outcome& o) { return o.l2_hit_rate; })},
          {"dram_read_bytes", span([](const Outcome& o) { return static_cast<double>(o.dram_read_bytes); })},
          {"dram_write_bytes", span([](const Outcome& o) { return static_cast<double>(o.dram_write_bytes); })},
          {"l2_miss_bytes", span([](const Outcome& o) { return static_cast<double>(o.l2_miss_bytes); })},
          {"time_ms", span([](const Outcome& o) { return o.time_ms; })}};
}

}  // namespace

Json to_json(const Prediction& prediction, const GpuSpec& gpu) {
  Json domains = Json::array();
  for (const auto& domain : prediction.domains) {
    domains.push_back(
        {{"workgroups", domain.workgroups},
         {"l2_requests", domain.requests},
         {"l2_hits", domain.hits},
         {"l2_hit_rate",
          domain.requests > 0 ? static_cast<double>(domain.hits) / static_cast<double>(domain.requests) : 0.0}});
  }
  Json json = {{"kind", "predicted"},
               {"l2_hit_rate", prediction.l2_hit_rate},
               {"ceiling", prediction.ceiling},
               {"dram_read_bytes", prediction.dram_read_bytes},
               {"dram_write_bytes", prediction.dram_write_bytes},
               {"l2_miss_bytes", prediction.l2_miss_bytes}};
  json["llc_hit_rate"] = gpu.llc.bytes > 0 ? Json(prediction.llc_hit_rate) : Json(nullptr);
  if (gpu.dispatch == Dispatch::kSingleQueue)
    json["l2_fabric"] = {{"sectors", prediction.fabric_sectors}, {"hits", prediction.fabric_hit_sectors}};
  if (!prediction.outcomes.empty()) json["range"] = range_json(prediction);
  json["balance"] = prediction.balance;
  json["time_ms"] = prediction.time_ms;
  json["bound"] = prediction.bound;
  json["time_includes_compute"] = prediction.time_has_compute;
  json["resource_times_ms"] = {{"compute", prediction.compute_ms},
                               {"l2", prediction.l2_ms},
                               {"llc", prediction.llc_ms},
                               {"dram", prediction.dram_ms},
                               {"index_arithmetic", prediction.index_ms}};
  json["idle_tail"] = prediction.tail;
  json["unvalidated"] =
      gpu.llc.bytes > 0 ? Json{"llc_hit_rate", "dram_read_bytes", "dram_write_bytes", "time_ms"} : Json{"time_ms"};
  json["domains"] = std::move(domains);
  return json;
}

Json to_json(const Candidate& candidate, const GpuSpec& gpu) {
  Json json = {{"name", candidate.name},
               {"proposer", candidate.proposer},
               {"map", candidate.swizzle.expr().text()},
               {"bijective", true},
               {"identity", candidate.swizzle.identity()},
               {"every_grid", candidate.every_grid},
               {"operations", candidate.swizzle.expr().operation_count()}};
  json["prediction"] = to_json(candidate.prediction, gpu);
  return json;
}

Json to_json(const GateReport& report) {
  Json steps = Json::array();
  for (const auto& step : report.steps) {
    const char* outcome = step.outcome == GateStep::Outcome::kPassed   ? "passed"
                          : step.outcome == GateStep::Outcome::kFailed ? "failed"
                                                                       : "not done";
    steps.push_back({{"step", step.name}, {"outcome", outcome}, {"detail", step.detail}});
  }
  return {{"passed", report.passed()}, {"verdict", report.verdict()}, {"steps", std::move(steps)}};
}

std::string print(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace swizzleperf

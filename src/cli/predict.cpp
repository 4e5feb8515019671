#include "cli/predict.h"

#include <fmt/format.h>

#include <memory>

#include "cli/session.h"
#include "model/engine_choice.h"
#include "report/json.h"
#include "report/text.h"
#include "swizzle/cost.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

struct PredictVerb {
  Request request;
  std::vector<std::string> maps;
  std::string engine = "auto";
  bool json = false;
};

struct PredictedMap {
  std::string text;
  MapReport report;
  Prediction prediction;
};

// Why the figures are no more than those of the order in which the workgroups were traced; empty where they are.
std::string unverified(const Workload& workload) {
  return workload.order_dependence.empty() ? "" : "order-dependent: " + workload.order_dependence;
}

// Any map is followed, bijective or not; the report says which it is.
Expected<PredictedMap> predict_map(const Session& session, const Engine& engine, const std::string& text) {
  const auto expr = SwizzleExpr::parse(text, "--map");
  if (!expr) return tl::unexpected(expr.error());
  const auto tiles = evaluate_map(*expr, session.workload.grid, session.map_sizes);
  if (!tiles) return tl::unexpected(tiles.error());
  return PredictedMap{
      expr->text(), inspect_map(session.workload.grid, *tiles),
      session.model.predict(*tiles, {.index_instructions = estimate_instructions(*expr, session.workload.grid),
                                     .lines = engine.lines(),
                                     .range = true})};
}

void print_json(const Session& session, const Engine& engine, const Prediction& baseline,
                const std::vector<PredictedMap>& maps) {
  Json json = {{"case", session.the_case.name},
               {"variant", session.instance.variant},
               {"gpu", session.gpu.name},
               {"grid", {session.workload.grid.x, session.workload.grid.y, session.workload.grid.z}},
               {"footprints", session.workload.footprint_source},
               {"occupancy",
                {{"workgroups_per_cu", session.workload.occupancy}, {"source", session.workload.occupancy_source}}}};
  json["engine"] = {{"name", engine.name()}, {"reason", engine.reason}};
  json["unverified"] = unverified(session.workload);
  json["baseline"] = to_json(baseline, session.gpu);
  json["predictions"] = Json::array();
  for (const auto& map : maps) {
    Json entry = {{"map", map.text}, {"bijective", map.report.bijective}, {"distinct", map.report.distinct}};
    entry.update(to_json(map.prediction, session.gpu));
    json["predictions"].push_back(std::move(entry));
  }
  fmt::print("{}", print(json));
}

void print_text(const Session& session, const Engine& engine, const Prediction& baseline,
                const std::vector<PredictedMap>& maps) {
  fmt::print("{} ({}) on {}: {} workgroups, occupancy {} ({})\n", session.the_case.name, session.instance.variant,
             session.gpu.name, to_string(session.workload.grid), session.workload.occupancy,
             session.workload.occupancy_source);
  std::vector<std::vector<std::string>> rows = {prediction_header(session.gpu),
                                                prediction_row("baseline", baseline, session.gpu)};
  for (const auto& map : maps) {
    rows.push_back(prediction_row(map.report.bijective ? map.text : map.text + "  [NOT A BIJECTION]", map.prediction,
                                  session.gpu));
  }
  fmt::print("{}  predicted; {}ceiling of the L2 hit rate {}; * unvalidated\n", format_table(rows),
             baseline.outcomes.empty() ? "" : "in brackets the range as workgroups drift apart; ",
             format_percent(baseline.ceiling));
  if (!engine.reason.empty()) fmt::print("  engine: {} ({})\n", engine.name(), engine.reason);
  if (const std::string why = unverified(session.workload); !why.empty()) fmt::print("  unverified: {}\n", why);
}

int run_predict(const PredictVerb& options) {
  StageLine stage(!options.json);
  const auto session = open_session(options.request, [&](const std::string& name) { stage.show(name); });
  if (!session) return report_error(session.error());
  const auto engine = choose_engine(parse_engine(options.engine), session->workload, session->gpu);
  if (!engine) return report_error(engine.error());
  std::vector<PredictedMap> maps;
  for (const auto& text : options.maps) {
    auto map = predict_map(*session, *engine, text);
    if (!map) return report_error(map.error());
    maps.push_back(std::move(*map));
  }
  const Prediction baseline = session->model.predict(
      order_of("", "", session->workload.grid, session->map_sizes).value(), {.lines = engine->lines(), .range = true});
  stage.clear();
  options.json ? print_json(*session, *engine, baseline, maps) : print_text(*session, *engine, baseline, maps);
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<PredictVerb>();
  auto* verb =
      app.add_subcommand("predict", "Predict L2 hit rate, DRAM traffic and time of a kernel under given orders");
  add_request_options(*verb, options->request);
  verb->add_option("--map", options->maps, "Map program; may be given several times")->allow_extra_args(false);
  verb->add_option(
          "--engine", options->engine,
          "object: lines used alike as one; line: each cache line in its set, slower; auto: line where objects "
          "may be off")
      ->check(CLI::IsMember({"auto", "object", "line"}));
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_predict(*options); });
}

}  // namespace swizzleperf

#include "llm/tools.h"

#include <fmt/format.h>

#include "llm/history_text.h"
#include "llm/json_text.h"
#include "llm/prompt.h"
#include "llm/reply.h"
#include "swizzle/diagnose.h"

namespace swizzleperf {
namespace {

// The one argument of a tool, whatever else is there; empty: it is missing or no text.
std::string argument(const ToolCall& call, const char* name) {
  const auto json = parse_json(call.arguments);
  return json ? text_field(*json, name) : std::string();
}

}  // namespace

Expected<Tools> Tools::create(Scorer& scorer, const Prediction& baseline, bool counters) {
  const auto text = prompt_file("tools.json");
  if (!text) return tl::unexpected(text.error());
  const auto json = parse_json(*text);
  if (!json || !json->is_array()) return internal_error("data/prompts/tools.json is no JSON array");
  std::vector<ToolSpec> specs;
  for (const Json& tool : *json)
    specs.push_back({text_field(tool, "name"), text_field(tool, "description"), dump(field(tool, "parameters"))});
  return Tools(scorer, baseline, counters, std::move(specs));
}

std::string Tools::predict(const std::string& map) {
  const Scored scored = scorer_.ask({.name = "predict", .proposer = "tool", .map = tidy_map(map), .why = ""});
  if (scored.fault) return "refused: " + describe(*scored.fault);
  if (!scored.prediction) return "interrupted";
  return "proven a bijection; " + describe_prediction(*scored.prediction, baseline_, scorer_.gpu(), counters_);
}

std::string Tools::check(const std::string& map) const {
  const auto expr = SwizzleExpr::parse(tidy_map(map), "map");
  if (!expr) return "refused: " + describe(expr.error());
  const Grid& grid = scorer_.workload().grid;
  const auto tiles = evaluate_map(*expr, grid, scorer_.sizes());
  if (!tiles) return "refused: " + describe(tiles.error());
  const MapReport report = inspect_map(grid, *tiles);
  if (report.bijective) return report.identity ? "a bijection; it is the launch order" : "a bijection";
  std::string text = describe(Fault{{Blame::kUser, "not a bijection on the grid " + to_string(grid)}, report});
  if (const auto suggestion = suggest(*expr, grid, *tiles, scorer_.sizes()))
    text += fmt::format("\n{}; this is one: {}", suggestion->reason, suggestion->map);
  return text;
}

std::string Tools::answer(const ToolCall& call) {
  if (call.name == "gpu_facts") return describe_figures(scorer_.gpu());
  if (call.name == "footprint") {
    const auto text = describe_footprint(scorer_.workload(), argument(call, "array"));
    return text ? *text : describe(text.error());
  }
  if (call.name != "predict" && call.name != "check")
    return "there is no such tool: predict, check, footprint, gpu_facts";
  const std::string map = argument(call, "map");
  if (map.empty()) return R"(the arguments are not as described: give a JSON object like {"map": "pid = wg"})";
  return call.name == "predict" ? predict(map) : check(map);
}

}  // namespace swizzleperf

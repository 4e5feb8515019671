#include "cli/check.h"

#include <fmt/format.h>

#include <memory>
#include <set>

#include "cli/check_cases.h"
#include "cli/check_triton.h"
#include "cli/session.h"
#include "report/json.h"
#include "swizzle/diagnose.h"

namespace swizzleperf {
namespace {

struct CheckOptions {
  CheckRequest request;
  TritonCheckRequest triton;
  int64_t up_to = 0;
  bool json = false;
};

struct Checked {
  std::optional<Error> fault;  // the map has no value on this grid: nothing else is known
  MapReport report;
  std::vector<int32_t> tiles;
  std::optional<FailingGrids> failing;
  std::optional<Suggestion> suggestion;
};

Expected<Checked> check_one(const CheckCase& one, int64_t up_to) {
  const auto expr = SwizzleExpr::parse(one.map, one.id);
  if (!expr) return tl::unexpected(expr.error());
  Checked checked;
  auto tiles = evaluate_map(*expr, one.grid, one.sizes);
  if (!tiles) return tl::unexpected(tiles.error());
  checked.tiles = std::move(*tiles);
  checked.report = inspect_map(one.grid, checked.tiles);
  if (up_to > 0) {
    auto failing = failing_grids(*expr, one.grid, one.sizes, up_to);
    if (!failing) return tl::unexpected(failing.error());
    checked.failing = std::move(*failing);
  }
  const bool wrong = !checked.report.bijective || (checked.failing && checked.failing->failing > 0);
  if (wrong) checked.suggestion = suggest(*expr, one.grid, checked.tiles, one.sizes);
  return checked;
}

// The XCD group of each tile: launch ids are dealt round robin. -1 for a tile that no workgroup takes.
std::vector<int64_t> xcd_of_tiles(const Checked& checked, int64_t xcds) {
  std::vector<int64_t> result(checked.tiles.size(), -1);
  for (size_t w = 0; w < checked.tiles.size(); ++w) {
    const int32_t tile = checked.tiles[w];
    if (tile >= 0) result[static_cast<size_t>(tile)] = static_cast<int64_t>(w) % xcds;
  }
  return result;
}

// XCDs of the tiles along one axis through the tile in the middle of the grid.
Json xcds_along(const std::vector<int64_t>& owner, const Grid& grid, int axis, int64_t reach) {
  const Coordinate middle{grid.x / 2, grid.y / 2, grid.z / 2};
  std::set<int64_t> met;
  const int64_t extent = axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
  const int64_t centre = axis == 0 ? middle.x : axis == 1 ? middle.y : middle.z;
  for (int64_t i = std::max<int64_t>(0, centre - reach); i < std::min(extent, centre + reach + 1); ++i) {
    Coordinate at = middle;
    (axis == 0 ? at.x : axis == 1 ? at.y : at.z) = i;
    met.insert(owner[static_cast<size_t>(linear(grid, at))]);
  }
  met.erase(-1);
  return Json(met);
}

Json placement(const CheckCase& one, const Checked& checked) {
  const auto owner = xcd_of_tiles(checked, one.sizes.at("num_xcds"));
  Json json = Json::object();
  for (int axis = 0; axis < one.grid.axes(); ++axis) {
    const std::string name(1, "xyz"[axis]);
    json["neighbours_" + name] = xcds_along(owner, one.grid, axis, 1);
    json["along_" + name] = xcds_along(owner, one.grid, axis, one.grid.size());
  }
  return json;
}

Json to_json(const CheckCase& one, const Checked& checked) {
  if (checked.fault) return {{"id", one.id}, {"bijective", false}, {"fault", describe(*checked.fault)}};
  const MapReport& r = checked.report;
  Json json = {{"id", one.id},
               {"bijective", r.bijective},
               {"distinct", r.distinct},
               {"missing", r.missing},
               {"duplicated", r.duplicated},
               {"out_of_range", r.out_of_range},
               {"identity", r.identity},
               {"lost_examples", r.lost_examples},
               {"duplicated_examples", r.duplicated_examples},
               {"out_of_range_examples", r.out_of_range_examples}};
  if (one.placed) json["xcds"] = placement(one, checked);
  if (!one.queue.empty()) json["dispatch"] = one.queue;
  if (checked.failing) {
    Json grids = Json::array();
    for (const Grid& grid : checked.failing->examples) grids.push_back(to_string(grid));
    json["other_grids"] = {
        {"tried", checked.failing->tried}, {"failing", checked.failing->failing}, {"examples", grids}};
  }
  if (checked.suggestion)
    json["suggestion"] = {{"reason", checked.suggestion->reason}, {"map", checked.suggestion->map}};
  return json;
}

void print_text(const CheckCase& one, const Checked& checked) {
  const MapReport& r = checked.report;
  if (checked.fault) {
    fmt::print("{}: FAULT on grid {}: {}\n", one.id, to_string(one.grid), describe(*checked.fault));
    return;
  }
  fmt::print("{}: {} on grid {}{}\n", one.id, r.bijective ? "bijective" : "NOT a bijection", to_string(r.grid),
             r.identity ? " (the identity: it changes nothing)" : "");
  const Json json = to_json(one, checked);
  if (!r.bijective)
    fmt::print("  tiles lost {} {}\n  launches repeating a tile {} {}\n  launches out of range {} {}\n", r.missing,
               json["lost_examples"].dump(), r.duplicated, json["duplicated_examples"].dump(), r.out_of_range,
               json["out_of_range_examples"].dump());
  if (json.contains("xcds"))
    fmt::print("  XCDs (launch id % num_xcds) around the middle tile: {}\n", json["xcds"].dump());
  if (!one.queue.empty()) fmt::print("  {}\n", one.queue);
  if (json.contains("other_grids"))
    fmt::print("  other grids: fails on {} of {} {}\n", checked.failing->failing, checked.failing->tried,
               json["other_grids"]["examples"].dump());
  if (checked.suggestion) fmt::print("  suggestion: {}\n    {}\n", checked.suggestion->reason, checked.suggestion->map);
}

int run_check(const CheckOptions& options) {
  if (options.triton.asked()) return check_triton(options.request, options.triton, options.json);
  const auto cases = check_cases(options.request);
  if (!cases) return report_error(cases.error());
  Json all = Json::array();
  bool good = true;
  for (const CheckCase& one : *cases) {
    auto checked = check_one(one, options.up_to);
    // One map of a file that has no value is that case's fault; a map of the command line is bad input.
    if (!checked && options.request.file.empty()) return report_error(checked.error());
    if (!checked) checked = Checked{.fault = checked.error()};
    good = good && !checked->fault && checked->report.bijective;
    if (options.json)
      all.push_back(to_json(one, *checked));
    else
      print_text(one, *checked);
  }
  if (options.json) fmt::print("{}", print(all));
  return good ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CheckOptions>();
  auto* verb = app.add_subcommand("check", "Say whether a map is a bijection, and what it does");
  verb->add_option("--map", options->request.map, "The map");
  verb->add_option("--grid", options->request.grid, "Launch grid, X[,Y[,Z]]");
  verb->add_option("--xcds", options->request.xcds, "Number of XCDs (L2 domains)")->check(CLI::Range(1, 1024));
  verb->add_option("--gpu", options->request.gpu, "GPU name or TOML file, instead of --xcds");
  verb->add_option("--file", options->request.file, "JSON file of cases");
  verb->add_option("--up-to", options->up_to, "Also try other grid sizes up to this")->check(CLI::Range(1, 65536));
  verb->add_option("--case", options->triton.case_file, "Case of a Triton kernel, whose grid the map is for");
  verb->add_option("--ttir-rewritten", options->triton.rewritten,
                   "IR of the kernel with the map in it: must touch what the case's kernel touches");
  verb->add_option("--variant", options->triton.variant, "Variant of the case; default: the case's own");
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace swizzleperf

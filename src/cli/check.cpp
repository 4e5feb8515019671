#include "cli/check.h"

#include <fmt/format.h>

#include <memory>
#include <set>

#include "base/file.h"
#include "cli/session.h"
#include "report/json.h"
#include "swizzle/diagnose.h"

namespace swizzleperf {
namespace {

struct CheckOptions {
  std::string map, grid, gpu, file;
  int64_t xcds = 0;
  int64_t up_to = 0;
  bool json = false;
};

struct CheckCase {
  std::string id, map;
  Grid grid;
  Sizes sizes;
};

struct Checked {
  MapReport report;
  std::vector<int32_t> tiles;
  std::optional<FailingGrids> failing;
  std::optional<Suggestion> suggestion;
};

Expected<Sizes> sizes_of(const CheckOptions& options) {
  Sizes sizes;
  if (!options.gpu.empty()) {
    const auto gpu = load_gpu(options.gpu);
    if (!gpu) return tl::unexpected(gpu.error());
    sizes = gpu_sizes(*gpu);
  }
  if (options.xcds != 0) sizes["num_xcds"] = options.xcds;
  return sizes;
}

// Both schemas of case files: id, grid, num_xcds and map; everything else is the statement, not the question.
Expected<std::vector<CheckCase>> read_cases(const CheckOptions& options) {
  const auto text = read_file(options.file);
  if (!text) return tl::unexpected(text.error());
  const Json json = Json::parse(*text, nullptr, false);
  const Place place{options.file};
  if (!json.is_array()) return user_error("not a JSON array of cases", place);
  std::vector<CheckCase> cases;
  for (const Json& one : json) {
    const std::string where = fmt::format("case {}: ", cases.size() + 1);
    if (!one.is_object() || !one.contains("id") || !one["id"].is_string() || !one.contains("map") ||
        !one["map"].is_string() || !one.contains("grid") || !one["grid"].is_array() || one["grid"].empty() ||
        one["grid"].size() > 3 || !one.contains("num_xcds") || !one["num_xcds"].is_number_integer())
      return user_error(where + "needs id, map (text), grid (1 to 3 integers) and num_xcds (integer)", place);
    int64_t axes[3] = {1, 1, 1};
    for (size_t i = 0; i < one["grid"].size(); ++i) {
      if (!one["grid"][i].is_number_integer()) return user_error(where + "grid holds something not an integer", place);
      axes[i] = one["grid"][i].get<int64_t>();
    }
    const auto grid = make_grid(axes[0], axes[1], axes[2]);
    if (!grid) return user_error(where + grid.error().message, place, grid.error().advice);
    const auto xcds = one["num_xcds"].get<int64_t>();
    if (xcds < 1 || xcds > 1024) return user_error(where + "num_xcds must be 1 to 1024", place);
    cases.push_back({one["id"], one["map"], *grid, {{"num_xcds", xcds}}});
  }
  return cases;
}

Expected<std::vector<CheckCase>> cases_of(const CheckOptions& options) {
  if (options.file.empty() == options.map.empty()) return user_error("give either --map with --grid, or --file");
  if (!options.file.empty()) {
    if (!options.grid.empty() || !options.gpu.empty() || options.xcds != 0)
      return user_error("--file states grid and XCDs itself: leave out --grid, --xcds and --gpu");
    return read_cases(options);
  }
  if (options.grid.empty()) return user_error("--map needs --grid X[,Y[,Z]]");
  const auto grid = parse_grid(options.grid);
  if (!grid) return tl::unexpected(grid.error());
  const auto sizes = sizes_of(options);
  if (!sizes) return tl::unexpected(sizes.error());
  return std::vector<CheckCase>{{"map", options.map, *grid, *sizes}};
}

Expected<Checked> check_one(const CheckCase& one, int64_t up_to) {
  const auto expr = SwizzleExpr::parse(one.map, one.id);
  if (!expr) return tl::unexpected(expr.error());
  Checked checked;
  checked.report.grid = one.grid;
  auto tiles = evaluate_map(*expr, one.grid, one.sizes);
  if (!tiles) return tl::unexpected(tiles.error());
  checked.tiles = std::move(*tiles);
  checked.report = inspect_map(one.grid, checked.tiles);
  if (up_to > 0) {
    auto failing = failing_grids(*expr, one.grid, one.sizes, up_to);
    if (!failing) return tl::unexpected(failing.error());
    checked.failing = std::move(*failing);
  }
  const auto xcds = one.sizes.find("num_xcds");
  const bool wrong = !checked.report.bijective || (checked.failing && checked.failing->failing > 0);
  if (wrong && xcds != one.sizes.end()) checked.suggestion = suggest(one.grid, checked.tiles, xcds->second);
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
  if (one.sizes.contains("num_xcds")) json["xcds"] = placement(one, checked);
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
  fmt::print("{}: {} on grid {}{}\n", one.id, r.bijective ? "bijective" : "NOT a bijection", to_string(r.grid),
             r.identity ? " (the identity: it changes nothing)" : "");
  const Json json = to_json(one, checked);
  if (!r.bijective)
    fmt::print("  tiles lost {} {}\n  launches repeating a tile {} {}\n  launches out of range {} {}\n", r.missing,
               json["lost_examples"].dump(), r.duplicated, json["duplicated_examples"].dump(), r.out_of_range,
               json["out_of_range_examples"].dump());
  if (json.contains("xcds")) fmt::print("  XCDs through the middle tile: {}\n", json["xcds"].dump());
  if (json.contains("other_grids"))
    fmt::print("  other grids: fails on {} of {} {}\n", checked.failing->failing, checked.failing->tried,
               json["other_grids"]["examples"].dump());
  if (checked.suggestion) fmt::print("  suggestion: {}\n    {}\n", checked.suggestion->reason, checked.suggestion->map);
}

int run_check(const CheckOptions& options) {
  const auto cases = cases_of(options);
  if (!cases) return report_error(cases.error());
  Json all = Json::array();
  bool good = true;
  for (const CheckCase& one : *cases) {
    const auto checked = check_one(one, options.up_to);
    if (!checked) return report_error(checked.error());
    good = good && checked->report.bijective;
    if (options.json)
      all.push_back(to_json(one, *checked));
    else
      print_text(one, *checked);
  }
  if (options.json) fmt::print("{}", print(options.file.empty() ? all[0] : all));
  return good ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CheckOptions>();
  auto* verb = app.add_subcommand("check", "Say whether a map is a bijection, and what it does");
  verb->add_option("--map", options->map, "The map");
  verb->add_option("--grid", options->grid, "Launch grid, X[,Y[,Z]]");
  verb->add_option("--xcds", options->xcds, "Number of XCDs (L2 domains)")->check(CLI::Range(1, 1024));
  verb->add_option("--gpu", options->gpu, "GPU name or TOML file, instead of --xcds");
  verb->add_option("--file", options->file, "JSON file of cases");
  verb->add_option("--up-to", options->up_to, "Also try other grid sizes up to this")->check(CLI::Range(1, 65536));
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace swizzleperf

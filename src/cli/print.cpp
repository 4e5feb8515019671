#include "cli/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include "cli/check_cases.h"
#include "cli/session.h"
#include "report/json.h"
#include "swizzle/print.h"

namespace swizzleperf {
namespace {

struct PrintVerbOptions {
  CheckRequest request;
  std::string target, prefix = "sp_";
  std::vector<std::string> guard_grids, sizes;
  bool json = false;
};

const std::map<std::string, Target>& targets() {
  static const std::map<std::string, Target> all = {
      {"c", Target::kC}, {"hip", Target::kHip}, {"cuda", Target::kCuda}, {"triton", Target::kTriton}};
  return all;
}

// A prefix begins every name that the code introduces.
bool is_prefix(const std::string& text) {
  const auto good = [](char c) { return c == '_' || (std::isalnum(static_cast<unsigned char>(c)) != 0); };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), good) &&
         std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

Expected<std::variant<Swizzle, MapReport>> prove_on(const CheckCase& one, const Grid& grid) {
  const auto expr = SwizzleExpr::parse(one.map, "--map");
  if (!expr) return tl::unexpected(expr.error());
  return prove(*expr, grid, one.sizes);
}

// Adds what --size names; the GPU's own figures cannot be changed so.
Expected<void> add_sizes(const std::vector<std::string>& texts, CheckCase& one) {
  const auto sizes = parse_sizes(texts);
  if (!sizes) return tl::unexpected(sizes.error());
  for (const auto& [name, value] : *sizes) {
    if (!one.sizes.emplace(name, value).second)
      return user_error(fmt::format("'{}' is a figure of the GPU", name), {"--size"}, "give --xcds or --gpu instead");
  }
  return {};
}

int report_not_bijective(const MapReport& report) {
  fmt::print(
      stderr,
      "--map: error: not a bijection on the grid {}: {} of {} tiles are lost, {} launches repeat a tile, {} leave "
      "the grid: nothing is printed\n",
      to_string(report.grid), report.missing, report.grid.size(), report.duplicated, report.out_of_range);
  return 1;
}

void print_code(const PrintVerbOptions& options, const CheckCase& one, const PrintedMap& code) {
  if (!options.json) {
    fmt::print("{}{}", code.helpers, code.body);
    return;
  }
  fmt::print("{}", print(Json{{"map", one.map},
                              {"grid", {one.grid.x, one.grid.y, one.grid.z}},
                              {"target", options.target},
                              {"prefix", options.prefix},
                              {"helpers", code.helpers},
                              {"body", code.body},
                              {"bits", code.bits},
                              {"operations", code.operations}}));
}

int run_print(const PrintVerbOptions& options) {
  if (!is_prefix(options.prefix))
    return report_error({Blame::kUser, "the prefix is no identifier", {"--prefix"}, "letters, digits, underscores"});
  auto cases = check_cases(options.request);
  if (!cases) return report_error(cases.error());
  CheckCase& one = cases->front();
  if (const auto status = add_sizes(options.sizes, one); !status) return report_error(status.error());
  PrintOptions printing{.prefix = options.prefix, .indent = options.target == "triton" ? "    " : "  "};
  const auto proof = prove_on(one, one.grid);
  if (!proof) return report_error(proof.error());
  if (const auto* report = std::get_if<MapReport>(&*proof)) return report_not_bijective(*report);
  for (const std::string& text : options.guard_grids) {
    const auto grid = parse_grid(text);
    if (!grid) return report_error(grid.error());
    const auto further = prove_on(one, *grid);
    if (!further) return report_error(further.error());
    if (const auto* report = std::get_if<MapReport>(&*further)) return report_not_bijective(*report);
    printing.guard_grids.push_back(*grid);
  }
  const auto code = print_map(std::get<Swizzle>(*proof), targets().at(options.target), printing);
  if (!code) return report_error(code.error());
  print_code(options, one, *code);
  return 0;
}

}  // namespace

void add_print(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<PrintVerbOptions>();
  auto* verb = app.add_subcommand("print", "Print a proven map as code, guarded: elsewhere the launch order stays");
  verb->add_option("--map", options->request.map, "The map")->required();
  verb->add_option("--grid", options->request.grid, "Launch grid, X[,Y[,Z]]")->required();
  verb->add_option("--also-grid", options->guard_grids, "A further grid on which the code is active")
      ->allow_extra_args(false);
  verb->add_option("--target", options->target, "c, hip, cuda or triton")
      ->required()
      ->check(CLI::IsMember({"c", "hip", "cuda", "triton"}));
  verb->add_option("--prefix", options->prefix, "What every introduced name begins with; default: sp_");
  verb->add_option("--size", options->sizes, "NAME=VALUE: a size that the map names")->allow_extra_args(false);
  verb->add_option("--xcds", options->request.xcds, "Number of XCDs (L2 domains)")->check(CLI::Range(1, 1024));
  verb->add_option("--gpu", options->request.gpu, "GPU name or TOML file, instead of --xcds");
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_print(*options); });
}

}  // namespace swizzleperf

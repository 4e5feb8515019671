#include "cli/analyze.h"

#include <fmt/format.h>

#include <memory>

#include "cli/analyze_triton_cache.h"
#include "cli/session.h"
#include "report/explain_text.h"
#include "report/reuse_text.h"
#include "report/text.h"
#include "search/recognise.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

struct AnalyzeOptions {
  Request request;
  std::string triton_cache;
  bool explain = false;
  std::string map;  // explained instead of the launch order
  bool json = false;
};

// Everything that analyze says.
struct Analysis {
  Reuse reuse;
  ExistingOrder existing;
  std::vector<std::string> warnings;
  std::optional<std::vector<ArrayTraffic>> arrays;  // with --explain
  CodePlaces code;                                  // likewise
};

const std::string& kernel_name(const Session& session) {
  return session.kernel ? session.kernel->name : session.the_case.kernel;
}

// What the workgroups that run at the same time touch, against the L2 they share.
double resident_bytes(const Session& session, const Reuse& reuse) {
  double bytes_per_tile = 0;
  for (const auto& array : reuse.arrays) bytes_per_tile += array.bytes_per_tile;
  const int64_t slots = session.gpu.cus_per_domain * session.workload.occupancy;
  const int64_t tiles = (reuse.tiles + session.gpu.domains - 1) / session.gpu.domains;
  return bytes_per_tile * static_cast<double>(std::min(slots, tiles));
}

// What makes a swizzle of this launch come to nothing, whatever the map.
std::vector<std::string> find_warnings(const Session& session) {
  std::vector<std::string> warnings;
  if (!session.workload.order_dependence.empty())
    warnings.push_back("unverified: order-dependent: " + session.workload.order_dependence);
  const GpuSpec& gpu = session.gpu;
  const int64_t tiles = session.workload.grid.size();
  const int64_t slots = gpu.domains * gpu.cus_per_domain * session.workload.occupancy;
  if (gpu.dispatch == Dispatch::kRoundRobin && tiles <= gpu.domains) {
    warnings.push_back(fmt::format("the launch has {} workgroups for {} XCDs: every workgroup has an L2 of its own",
                                   tiles, gpu.domains));
  }
  if (tiles <= slots && (gpu.dispatch == Dispatch::kSingleQueue || gpu.domains == 1)) {
    warnings.push_back(
        fmt::format("all {} workgroups run at once on {} slots of one L2: their order changes next to "
                    "nothing",
                    tiles, slots));
  }
  return warnings;
}

Expected<Analysis> find_analysis(const Session& session, const AnalyzeOptions& options) {
  Analysis analysis{.reuse = analyse_reuse(session.workload),
                    .existing = recognise_order(session.workload, session.gpu),
                    .warnings = find_warnings(session),
                    .arrays = std::nullopt,
                    .code = {}};
  if (!options.explain) return analysis;
  const auto order = order_of(options.map, "--map", session.workload.grid, session.map_sizes);
  if (!order) return tl::unexpected(order.error());
  const MapReport report = inspect_map(session.workload.grid, *order);
  if (!report.bijective)
    analysis.warnings.push_back(fmt::format("the map is NOT A BIJECTION: {} tiles are never done", report.missing));
  if (!options.map.empty() && report.identity)
    analysis.warnings.emplace_back("the map is the identity on this grid: it changes nothing");
  analysis.arrays = session.model.explain(*order);
  if (session.traced) {
    analysis.code = {.reuse = reuse_by_site(session.workload),
                     .names = describe_sites(*session.traced, session.workload)};
  }
  return analysis;
}

void print_text(const Session& session, const Analysis& analysis, const AnalyzeOptions& options) {
  const double resident = resident_bytes(session, analysis.reuse);
  fmt::print("{} ({}) on {}\n  kernel {}, grid {} of {} threads, occupancy {} ({})\n  footprints: {}\n\n{}",
             session.the_case.name, session.instance.variant, session.gpu.name, kernel_name(session),
             to_string(session.workload.grid), session.workload.threads_per_workgroup, session.workload.occupancy,
             session.workload.occupancy_source, session.workload.footprint_source,
             format_reuse(analysis.reuse, session.gpu));
  fmt::print("\n  The workgroups resident on one L2 domain touch {} if they share nothing: {:.1f} x its L2\n",
             format_bytes(resident), resident / static_cast<double>(session.gpu.l2.bytes));
  fmt::print("  Ceiling of the L2 hit rate (compulsory misses only): {}\n", format_percent(session.model.ceiling()));
  if (const std::string existing = describe(analysis.existing); !existing.empty())
    fmt::print("  Order: {}\n", existing);
  for (const auto& warning : analysis.warnings) fmt::print("  Note: {}\n", warning);
  if (analysis.arrays) {
    fmt::print("\nPredicted traffic of {}\n{}", options.map.empty() ? "the launch order" : options.map,
               format_explanation(*analysis.arrays, analysis.code, session.workload, session.gpu));
  }
}

void print_json(const Session& session, const Analysis& analysis) {
  Json json = {
      {"case", session.the_case.name},
      {"variant", session.instance.variant},
      {"gpu", session.gpu.name},
      {"kernel", kernel_name(session)},
      {"grid", {session.workload.grid.x, session.workload.grid.y, session.workload.grid.z}},
      {"footprints", session.workload.footprint_source},
      {"occupancy", {{"workgroups_per_cu", session.workload.occupancy}, {"source", session.workload.occupancy_source}}},
      {"l2_bytes", session.gpu.l2.bytes},
      {"resident_bytes", resident_bytes(session, analysis.reuse)},
      {"ceiling", session.model.ceiling()}};
  json["reuse"] = to_json(analysis.reuse);
  json["existing_order"] = analysis.existing.known ? Json(analysis.existing.family) : Json(nullptr);
  json["warnings"] = analysis.warnings;
  if (analysis.arrays) {
    json["traffic"] = to_json(*analysis.arrays);
    json["code"] = to_json(analysis.code, session.workload);
  }
  fmt::print("{}", print(json));
}

int run_analyze(const AnalyzeOptions& options) {
  if (!options.triton_cache.empty()) return analyze_triton_cache(options.triton_cache, options.json);
  if (options.request.case_file.empty() || options.request.gpu.empty())
    return report_error({Blame::kUser, "analyze needs a case and --gpu, or --triton-cache", {}, "see analyze --help"});
  StageLine stage(!options.json);
  const auto session = open_session(options.request, [&](const std::string& name) { stage.show(name); });
  if (!session) return report_error(session.error());
  stage.show("measuring reuse");
  const auto analysis = find_analysis(*session, options);
  if (!analysis) return report_error(analysis.error());
  stage.clear();
  options.json ? print_json(*session, *analysis) : print_text(*session, *analysis, options);
  return 0;
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<AnalyzeOptions>();
  auto* verb = app.add_subcommand("analyze",
                                  "Show a kernel's reuse: which workgroups share what, against the L2 and the ceiling");
  add_request_options(*verb, options->request);
  auto* const cache = verb->add_option("--triton-cache", options->triton_cache,
                                       "List the kernels in this cache of Triton, instead of a case");
  // One of the two: a cache is not a case on a GPU.
  for (const char* name : {"case", "--gpu"}) verb->get_option(name)->required(false)->excludes(cache);
  auto* explain = verb->add_flag(
      "--explain", options->explain,
      "Which array is fetched how often by how many L2s, and which channels it camps on, in the predicted order");
  verb->add_option("--map", options->map, "Explain this map instead of the launch order")->needs(explain);
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_analyze(*options); });
}

}  // namespace swizzleperf

#include "cli/analyze.h"

#include <fmt/format.h>

#include <memory>

#include "cli/session.h"
#include "report/reuse_text.h"
#include "report/text.h"

namespace swizzleperf {
namespace {

struct AnalyzeOptions {
  Request request;
  bool json = false;
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

void print_text(const Session& session, const Reuse& reuse) {
  const double resident = resident_bytes(session, reuse);
  fmt::print("{} ({}) on {}\n  kernel {}, grid {} of {} threads, occupancy {} ({})\n  footprints: {}\n\n{}",
             session.the_case.name, session.instance.variant, session.gpu.name, kernel_name(session),
             to_string(session.workload.grid), session.workload.threads_per_workgroup, session.workload.occupancy,
             session.workload.occupancy_source, session.workload.footprint_source, format_reuse(reuse, session.gpu));
  fmt::print("\n  The workgroups resident on one L2 domain touch {} if they share nothing: {:.1f} x its L2\n",
             format_bytes(resident), resident / static_cast<double>(session.gpu.l2.bytes));
  fmt::print("  Ceiling of the L2 hit rate (compulsory misses only): {}\n", format_percent(session.model.ceiling()));
}

int run_analyze(const AnalyzeOptions& options) {
  StageLine stage(!options.json);
  const auto session = open_session(options.request, [&](const std::string& name) { stage.show(name); });
  if (!session) return report_error(session.error());
  const Reuse reuse = analyse_reuse(session->workload);
  stage.clear();
  if (!options.json) {
    print_text(*session, reuse);
    return 0;
  }
  Json json = {{"case", session->the_case.name},
               {"variant", session->instance.variant},
               {"gpu", session->gpu.name},
               {"kernel", kernel_name(*session)},
               {"grid", {session->workload.grid.x, session->workload.grid.y, session->workload.grid.z}},
               {"footprints", session->workload.footprint_source},
               {"occupancy",
                {{"workgroups_per_cu", session->workload.occupancy}, {"source", session->workload.occupancy_source}}},
               {"l2_bytes", session->gpu.l2.bytes},
               {"resident_bytes", resident_bytes(*session, reuse)},
               {"ceiling", session->model.ceiling()}};
  json["reuse"] = to_json(reuse);
  fmt::print("{}", print(json));
  return 0;
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<AnalyzeOptions>();
  auto* verb = app.add_subcommand("analyze",
                                  "Show a kernel's reuse: which workgroups share what, against the L2 and the ceiling");
  add_request_options(*verb, options->request);
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_analyze(*options); });
}

}  // namespace swizzleperf

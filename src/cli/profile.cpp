#include "cli/profile.h"

#include <fmt/format.h>

#include <memory>

#include "cli/measuring.h"
#include "measure/profile.h"
#include "report/measured.h"

namespace swizzleperf {
namespace {

struct ProfileVerb {
  PlanOptions plan;
  int limit_seconds = 600;
  bool json = false;
};

int run_profile(const ProfileVerb& options) {
  StageLine stage(!options.json);
  const auto plan = make_plan(options.plan, stage);
  if (!plan) return report_error(plan.error());
  stage.show("profiling on " + options.plan.device);
  const auto profile = profile_job(plan->job, plan->touched_bytes, std::chrono::seconds(options.limit_seconds));
  stage.clear();
  if (!profile) return report_error(profile.error());
  Measurement measurement{.device = options.plan.device, .note = plan->job.note};
  measurement.warnings = {"counted by " + profile->tool + ", one launch from cold caches"};
  for (size_t i = 0; i < plan->orders.size(); ++i)
    measurement.variants.push_back({.name = plan->orders[i].name, .counters = profile->variants[i]});
  const auto text = options.json ? measurement_json(measurement) : measurement_text(measurement);
  if (!text) return report_error(text.error());
  fmt::print("{}", *text);
  return 0;
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ProfileVerb>();
  auto* verb =
      app.add_subcommand("profile", "Count cache hits and DRAM traffic of a kernel in several orders, on a GPU");
  add_plan_options(*verb, options->plan);
  verb->add_option("--limit", options->limit_seconds, "Seconds after which the run is killed")
      ->check(CLI::Range(1, 86'400));
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_profile(*options); });
}

}  // namespace swizzleperf

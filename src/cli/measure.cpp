#include "cli/measure.h"

#include <fmt/format.h>

#include <memory>

#include "base/file.h"
#include "cli/measuring.h"
#include "measure/answer.h"
#include "measure/runner.h"
#include "report/measured.h"

namespace swizzleperf {
namespace {

struct MeasureVerb {
  PlanOptions plan;
  int64_t budget_ms = 400;
  int64_t energy_ms = 0;
  int limit_seconds = 600;
  std::string job_file;
  bool json = false;
};

int show(const Expected<Measurement>& measurement, bool json) {
  if (!measurement) return report_error(measurement.error());
  const auto text = json ? measurement_json(*measurement) : measurement_text(*measurement);
  if (!text) return report_error(text.error());
  fmt::print("{}", *text);
  return 0;
}

int run_measure(const MeasureVerb& options) {
  StageLine stage(!options.json);
  auto plan = make_plan(options.plan, stage);
  if (!plan) return report_error(plan.error());
  plan->job.budget_ms = options.budget_ms;
  plan->job.energy_ms = options.energy_ms;
  if (!options.job_file.empty()) {
    stage.clear();
    const auto written = write_file_atomic(options.job_file, runner::print_job(plan->job));
    return written ? 0 : report_error(written.error());
  }
  stage.show("running on " + options.plan.device);
  const auto measurement = run_job(plan->job, std::chrono::seconds(options.limit_seconds));
  stage.clear();
  return show(measurement, options.json);
}

struct MeasuredVerb {
  std::string file;
  std::string counters_file;
  bool json = false;
};

Expected<Measurement> read_measured(const MeasuredVerb& options) {
  const auto text = read_file(options.file, size_t{1} << 30);
  if (!text) return tl::unexpected(text.error());
  auto measurement = read_answer(*text);
  if (!measurement || options.counters_file.empty()) return measurement;
  const auto counters = read_file(options.counters_file, size_t{1} << 30);
  if (!counters) return tl::unexpected(counters.error());
  if (const auto added = add_counters(*measurement, *counters); !added) return tl::unexpected(added.error());
  return measurement;
}

}  // namespace

void add_measure(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<MeasureVerb>();
  auto* verb = app.add_subcommand("measure", "Run a kernel in several orders on a GPU and compare times and outputs");
  add_plan_options(*verb, options->plan);
  verb->add_option("--budget", options->budget_ms, "Milliseconds of launches for each order")
      ->check(CLI::Range(1, 3'600'000));
  verb->add_option("--energy", options->energy_ms,
                   "Milliseconds of launches for the energy of an order; 0: not measured")
      ->check(CLI::Range(0, 3'600'000));
  verb->add_option("--limit", options->limit_seconds, "Seconds after which the run is killed")
      ->check(CLI::Range(1, 86'400));
  verb->add_option("--job", options->job_file, "Write the job to this file instead, for another machine's runner");
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback([options, &exit_code] { exit_code = run_measure(*options); });

  const auto answer = std::make_shared<MeasuredVerb>();
  auto* reader = app.add_subcommand("measured", "Read what a runner answered on another machine");
  reader->add_option("file", answer->file, "File with the runner's answer")->required();
  reader->add_option("--counters", answer->counters_file, "Table of ncu or rocprofv3 from another run of the same job");
  reader->add_flag("--json", answer->json, "Print JSON");
  reader->callback([answer, &exit_code] { exit_code = show(read_measured(*answer), answer->json); });
}

}  // namespace swizzleperf

#include "cli/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "base/file.h"
#include "cli/session.h"
#include "gpu/gpu_spec.h"
#include "measure/probe.h"
#include "measure/runner.h"
#include "measure/topology.h"
#include "report/text.h"

namespace swizzleperf {
namespace {

struct ProbeVerb {
  std::string device = "cuda:0";
  std::string base;
  std::string out_file;
  std::string jobs_folder;
  std::string answers_folder;
  int units = 0;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

int write_jobs(const ProbeVerb& options, const DeviceName& device) {
  if (options.units < 1)
    return report_error({Blame::kUser, "--jobs needs the other device's compute units", {"--units"}});
  for (const ProbeJob& probe : probe_jobs(device.api, options.units)) {
    const auto file = std::filesystem::path(options.jobs_folder) / (probe.name + ".job");
    if (auto written = write_file_atomic(file, runner::print_job(probe.job)); !written)
      return report_error(written.error());
  }
  return 0;
}

// From this machine's device, or from answers of another machine's.
Expected<std::vector<DeviceOutputs>> answers(const ProbeVerb& options, const DeviceName& device, StageLine& stage) {
  std::vector<DeviceOutputs> result;
  int units = 1;
  if (options.answers_folder.empty()) {  // how many units there are decides how the probes are launched
    auto first = probe_jobs(device.api, 1).front().job;
    first.device = device.index;
    const auto answer = run_read_job(first);
    if (!answer) return tl::unexpected(answer.error());
    units = answer->compute_units;
  }
  for (const ProbeJob& probe : probe_jobs(device.api, units)) {
    stage.show("probing: " + probe.name);
    auto job = probe.job;
    job.device = device.index;
    auto answer = options.answers_folder.empty()
                      ? run_read_job(job)
                      : read_file(std::filesystem::path(options.answers_folder) / (probe.name + ".json"))
                            .and_then([](const std::string& text) { return read_outputs(text); });
    if (!answer) return tl::unexpected(answer.error());
    result.push_back(std::move(*answer));
  }
  return result;
}

void print_topology(const Topology& topology) {
  fmt::print("{}: {} compute units, {} seen, L2 of {} as the driver says\n", topology.device, topology.compute_units,
             topology.units_seen, format_bytes(static_cast<double>(topology.l2_bytes)));
  fmt::print("  dispatch: {} L2 domains, {} of the workgroups in turn, {} began in launch order\n", topology.domains,
             format_percent(topology.round_robin), format_percent(topology.in_launch_order));
  if (!topology.side_of_unit.empty()) {
    const auto ones = std::count(topology.side_of_unit.begin(), topology.side_of_unit.end(), 1);
    fmt::print("  two sides of the L2: {} and {} units; atomics near {:.0f}, far {:.0f} cycles\n",
               static_cast<std::ptrdiff_t>(topology.side_of_unit.size()) - ones, ones, topology.near_cycles,
               topology.far_cycles);
  } else if (topology.api == runner::Api::kCuda) {
    fmt::print("  latencies show no two sides of the L2\n");
  }
  std::vector<std::vector<std::string>> rows = {{"buffer", "own parts", "all of it by all"}};
  for (size_t i = 0; i < topology.own.size(); i += 2)
    rows.push_back({format_bytes(static_cast<double>(topology.own[i].bytes)),
                    format_bytes(topology.own[i].bytes_per_second) + "/s",
                    format_bytes(topology.shared[i].bytes_per_second) + "/s"});
  fmt::print("  reads past the L1; they slow down beyond {} and {}\n{}",
             format_bytes(static_cast<double>(topology.own_cliff_bytes)),
             format_bytes(static_cast<double>(topology.shared_cliff_bytes)), format_table(rows));
}

int run_probe(const ProbeVerb& options) {
  const auto device = parse_device(options.device);
  if (!device) return report_error(device.error());
  if (!options.jobs_folder.empty()) return write_jobs(options, *device);
  StageLine stage(true);
  const auto outputs = answers(options, *device, stage);
  if (!outputs) return report_error(outputs.error());
  const auto topology = read_topology(*outputs, device->api);
  stage.clear();
  if (!topology) return report_error(topology.error());
  print_topology(*topology);
  if (options.out_file.empty()) return 0;
  const std::string base =
      options.base.empty() ? (device->api == runner::Api::kCuda ? "h200" : "mi300x") : options.base;
  const auto base_text = read_file(data_folder() / "gpus" / (base + ".toml"));
  if (!base_text) return report_error(base_text.error());
  const auto text = gpu_file(*topology, *base_text, today());
  if (!text) return report_error(text.error());
  if (const auto valid = parse_gpu(*text, options.out_file); !valid) return report_error(valid.error());
  const auto written = write_file_atomic(options.out_file, *text);
  return written ? 0 : report_error(written.error());
}

}  // namespace

void add_probe(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ProbeVerb>();
  auto* verb = app.add_subcommand("probe", "Measure how this machine's GPU dispatches workgroups and caches");
  verb->add_option("--device", options->device, "cuda:N or hip:N; default cuda:0");
  verb->add_option("-o,--out", options->out_file, "Write a GPU file with what was measured");
  verb->add_option("--base", options->base, "The known GPU that the file starts from; default h200, mi300x for HIP");
  verb->add_option("--jobs", options->jobs_folder, "Write the probes as jobs to this folder, for another machine");
  verb->add_option("--units", options->units, "Compute units of that machine's GPU")->check(CLI::Range(1, 4096));
  verb->add_option("--answers", options->answers_folder, "Read what the jobs answered, NAME.json, from this folder");
  verb->callback([options, &exit_code] { exit_code = run_probe(*options); });
}

}  // namespace swizzleperf

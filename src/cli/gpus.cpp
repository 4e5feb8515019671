#include "cli/gpus.h"

#include <fmt/format.h>

#include <memory>

#include "cli/session.h"
#include "report/json.h"
#include "report/text.h"

namespace swizzleperf {
namespace {

struct GpusOptions {
  std::string name;
  bool json = false;
};

Json figures(const GpuSpec& gpu) {
  Json json = Json::object();
  for (const auto& figure : gpu.provenance)
    json[figure.key] = {{"value", figure.value}, {"derived", figure.derived}, {"source", figure.source}};
  return json;
}

int show_one(const GpusOptions& options) {
  const auto gpu = load_gpu(options.name);
  if (!gpu) return report_error(gpu.error());
  if (options.json) {
    fmt::print("{}", print(figures(*gpu)));
    return 0;
  }
  for (const auto& figure : gpu->provenance) {
    fmt::print("  {:<34} {:<14} {}{}\n", figure.key, figure.value, figure.derived ? "[derived] " : "", figure.source);
  }
  return 0;
}

int show_all(const GpusOptions& options) {
  std::vector<std::vector<std::string>> rows = {{"GPU", "arch", "L2 domains", "CUs each", "L2 each", "LLC", "DRAM/s"}};
  Json json = Json::object();
  for (const auto& name : known_gpus()) {
    const auto gpu = load_gpu(name);
    if (!gpu) return report_error(gpu.error());
    json[gpu->name] = figures(*gpu);
    rows.push_back({gpu->name, gpu->arch, fmt::format("{}", gpu->domains), fmt::format("{}", gpu->cus_per_domain),
                    format_bytes(static_cast<double>(gpu->l2.bytes)),
                    gpu->llc.bytes > 0 ? format_bytes(static_cast<double>(gpu->llc.bytes)) : "-",
                    gpu->dram_bytes_per_second > 0 ? format_bytes(gpu->dram_bytes_per_second) : "unknown"});
  }
  fmt::print("{}", options.json ? print(json) : format_table(rows));
  return 0;
}

}  // namespace

void add_gpus(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<GpusOptions>();
  auto* verb = app.add_subcommand("gpus", "List the GPUs, or show one with the source of every figure");
  verb->add_option("name", options->name, "GPU name or TOML file");
  verb->add_flag("--json", options->json, "Print JSON");
  verb->callback(
      [options, &exit_code] { exit_code = options->name.empty() ? show_all(*options) : show_one(*options); });
}

}  // namespace swizzleperf

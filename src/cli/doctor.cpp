#include "cli/doctor.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "base/file.h"
#include "base/process.h"
#include "measure/runner.h"
#include "report/json.h"

namespace swizzleperf {
namespace {

struct Finding {
  std::string name;
  bool present = false;
  std::string detail;  // where it is or what it said; what is missing and how to get it
  std::string serves;  // what cannot be done without it
};

// A program, with the first line of what it answers to --version.
Finding find_tool(const std::string& name, const std::string& serves, const std::string& advice) {
  Finding finding{.name = name, .detail = advice, .serves = serves};
  const auto path = find_program(name);
  if (path.empty()) return finding;
  finding.present = true;
  finding.detail = path.string();
  const auto said = run_process({path.string(), "--version"}, {.wall = std::chrono::seconds(20)});
  if (said && said->ok() && !said->out.empty())
    finding.detail += " (" + said->out.substr(0, std::min<size_t>(said->out.find('\n'), 80)) + ")";
  return finding;
}

Finding find_data() {
  Finding finding{.name = "data files", .serves = "every verb"};
  std::error_code ignored;
  finding.present = std::filesystem::exists(data_folder() / "gpus", ignored);
  finding.detail = finding.present ? data_folder().string()
                                   : data_folder().string() + " has no gpus/: set SWIZZLEPERF_HOME to the source tree";
  return finding;
}

Finding find_runner_program() {
  const auto program = find_runner();
  Finding finding{.name = "swizzleperf-runner", .present = program.has_value(), .serves = "measure, profile, probe"};
  finding.detail = program ? program->string() : program.error().advice;
  return finding;
}

// Asks the runner to run an empty kernel: driver, run-time compiler, headers and device are all needed for that.
Finding find_device(const std::string& name) {
  Finding finding{.name = name, .serves = "measure, profile, probe, optimize --device"};
  const auto device = parse_device(name).value();
  runner::Job job;
  job.api = device.api;
  job.task = runner::Task::kRead;
  job.kernel = "swizzleperf_doctor";
  job.file = "doctor.cu";
  const std::string include = device.api == runner::Api::kCuda ? "cuda_fp16.h" : "hip/hip_fp16.h";
  job.variants = {{"doctor", "#include <" + include + ">\n__global__ void swizzleperf_doctor() {}\n"}};
  const auto answer = run_read_job(job);
  finding.present = answer.has_value();
  finding.detail =
      answer ? fmt::format("{}, {} compute units", answer->device, answer->compute_units) : describe(answer.error());
  return finding;
}

std::vector<Finding> examine() {
  return {find_data(),
          find_tool("clang++-19", "HIP and CUDA sources", "install clang-19: scripts/setup.sh does"),
          find_tool("ptxas", "registers of CUDA kernels without a GPU", "install the CUDA toolkit's compiler"),
          find_runner_program(),
          find_device("cuda:0"),
          find_device("hip:0"),
          find_tool("ncu", "counters on NVIDIA", "install Nsight Compute; it comes with the CUDA toolkit"),
          find_tool("rocprofv3", "counters on AMD", "install ROCm's rocprofiler-sdk")};
}

int run_doctor(bool json) {
  const auto findings = examine();
  if (json) {
    Json list = Json::array();
    for (const Finding& f : findings)
      list.push_back({{"name", f.name}, {"present", f.present}, {"detail", f.detail}, {"serves", f.serves}});
    fmt::print("{}", print(list));
    return 0;
  }
  for (const Finding& f : findings)
    fmt::print("{:7}  {}: {}\n         for: {}\n", f.present ? "present" : "missing", f.name, f.detail, f.serves);
  return 0;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  const auto json = std::make_shared<bool>(false);
  auto* verb = app.add_subcommand("doctor", "Say which tools and devices are there, and how to get the missing ones");
  verb->add_flag("--json", *json, "Print JSON");
  verb->callback([json, &exit_code] { exit_code = run_doctor(*json); });
}

}  // namespace swizzleperf

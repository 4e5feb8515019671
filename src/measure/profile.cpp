#include "measure/profile.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "measure/ncu.h"
#include "measure/rocprof.h"
#include "measure/runner.h"

namespace swizzleperf {
namespace {

const char* tool_of(runner::Api api) {
  return api == runner::Api::kCuda ? "ncu" : "rocprofv3";
}

Expected<std::string> tool_version(runner::Api api) {
  const std::string tool = tool_of(api);
  if (find_program(tool).empty())
    return missing(fmt::format("the profiler '{}' was not found in PATH", tool), {},
                   api == runner::Api::kCuda ? "install Nsight Compute; it comes with the CUDA toolkit"
                                             : "install ROCm's rocprofiler-sdk");
  const auto said = run_process({tool, "--version"});
  if (!said) return tl::unexpected(said.error());
  // "Version 2025.3.1.0 (build ...)" on a line of its own, or "version: 1.0.0".
  for (const std::string_view line : split_lines(said->out)) {
    const size_t at = line.find("ersion");
    const size_t digit = at == std::string_view::npos ? at : line.find_first_of("0123456789", at);
    if (digit != std::string_view::npos)
      return tool + " " + std::string(line.substr(digit, line.find_first_of(" )", digit) - digit));
  }
  return tool;
}

// What went wrong is in what the tool wrote, on either stream or in its table.
Expected<std::string> run_tool(const std::vector<std::string>& command, const std::filesystem::path& table,
                               const runner::Job& job, std::chrono::milliseconds limit) {
  const auto result =
      run_process(command, {.wall = limit, .memory_bytes = 0, .output_bytes = size_t{64} << 20}, print_job(job));
  if (!result) return tl::unexpected(result.error());
  if (result->timed_out)
    return user_error(fmt::format("the profiler did not end within {} s and was killed",
                                  std::chrono::duration_cast<std::chrono::seconds>(limit).count()));
  auto text = read_file(table, size_t{256} << 20);
  if (text) return text;
  return result->out + "\n" + result->err;
}

}  // namespace

std::string bare_kernel_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  const size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

Expected<std::vector<Counters>> read_counters(const std::string& text, runner::Api api, const std::string& kernel,
                                              size_t variants, double touched_bytes) {
  const auto launches = api == runner::Api::kCuda ? parse_ncu(text) : parse_rocprof(text);
  if (!launches) return tl::unexpected(launches.error());
  std::vector<Counters> result;
  for (const ProfiledLaunch& launch : *launches) {
    if (launch.kernel.find(bare_kernel_name(kernel)) == std::string::npos)
      return user_error(fmt::format("the profiler counted '{}', not '{}'", launch.kernel, kernel));
    result.push_back(api == runner::Api::kCuda ? counters_of_ncu(launch, touched_bytes) : counters_of_rocprof(launch));
  }
  if (result.size() != variants)
    return user_error(fmt::format("the profiler counted {} launches, {} were made", result.size(), variants));
  return result;
}

Expected<Profile> profile_job(runner::Job job, double touched_bytes, std::chrono::milliseconds limit) {
  const auto version = tool_version(job.api);
  if (!version) return tl::unexpected(version.error());
  const auto program = find_runner();
  if (!program) return tl::unexpected(program.error());
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const bool cuda = job.api == runner::Api::kCuda;
  const std::string kernel = bare_kernel_name(job.kernel);
  const auto table = folder->path() / (cuda ? "table.csv" : "counters_counter_collection.csv");
  // English numbers, whatever the user's language is.
  std::vector<std::string> command = {"env", "LC_ALL=C", tool_of(job.api)};
  const auto options = cuda ? ncu_arguments(kernel, table) : rocprof_arguments(kernel, folder->path());
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(program->string());
  job.task = runner::Task::kProfile;
  const auto text = run_tool(command, table, job, limit);
  if (!text) return tl::unexpected(text.error());
  auto counters = read_counters(*text, job.api, job.kernel, job.variants.size(), touched_bytes);
  if (!counters) return tl::unexpected(counters.error());
  return Profile{*version, std::move(*counters)};
}

}  // namespace swizzleperf

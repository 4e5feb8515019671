#include "measure/runner.h"

#include <fmt/format.h>

#include <charconv>

#include "base/process.h"
#include "measure/answer.h"

namespace swizzleperf {

Expected<DeviceName> parse_device(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string api = text.substr(0, colon);
  DeviceName result{.api = api == "hip" ? runner::Api::kHip : runner::Api::kCuda};
  bool valid = api == "cuda" || api == "hip";
  if (colon != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, result.index);
    valid = valid && parsed.ec == std::errc() && parsed.ptr == end && result.index >= 0 && result.index < 1024;
  }
  if (!valid) return user_error(fmt::format("'{}' names no device", text), {"--device"}, "write cuda:0 or hip:0");
  return result;
}

Expected<std::filesystem::path> find_runner() {
  std::error_code ignored;
  const auto beside = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "swizzleperf-runner";
  auto found = find_program(beside.string());
  if (found.empty()) found = find_program("swizzleperf-runner");
  if (found.empty())
    return missing("the program 'swizzleperf-runner' was found neither beside this program nor in PATH", {},
                   "build it: cmake --build build/release --target swizzleperf-runner");
  return found;
}

namespace {

// What the runner printed.
Expected<std::string> run(const runner::Job& job, std::chrono::milliseconds limit) {
  const auto program = find_runner();
  if (!program) return tl::unexpected(program.error());
  // No limit on memory: the driver reserves address space as large as the device's memory and more.
  const auto result =
      run_process({program->string()}, {.wall = limit, .memory_bytes = 0, .output_bytes = size_t{256} << 20},
                  runner::print_job(job));
  if (!result) return tl::unexpected(result.error());
  if (result->timed_out)
    return user_error(fmt::format("the run did not end within {} s and was killed",
                                  std::chrono::duration_cast<std::chrono::seconds>(limit).count()),
                      {}, "a kernel hangs, or the case is too large: try a smaller variant, or a longer --limit");
  if (result->signal != 0)
    return internal_error(fmt::format("the runner was ended by signal {}: {}", result->signal, result->err));
  return result->out;
}

}  // namespace

Expected<Measurement> run_job(const runner::Job& job, std::chrono::milliseconds limit) {
  const auto text = run(job, limit);
  return text ? read_answer(*text) : tl::unexpected(text.error());
}

Expected<DeviceOutputs> run_read_job(const runner::Job& job, std::chrono::milliseconds limit) {
  const auto text = run(job, limit);
  return text ? read_outputs(*text) : tl::unexpected(text.error());
}

}  // namespace swizzleperf

#include "frontend/clike/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/file.h"
#include "base/process.h"
#include "frontend/clike/compile.h"
#include "frontend/clike/fit.h"
#include "frontend/clike/host/protocol.h"
#include "frontend/clike/site.h"

namespace swizzleperf {
namespace {

// Reads the answer's words in order.
class Words {
 public:
  explicit Words(const std::string& bytes) : bytes_(bytes) {}
  int64_t next() {
    int64_t word = 0;
    if (at_ + sizeof word <= bytes_.size()) std::memcpy(&word, bytes_.data() + at_, sizeof word);
    at_ += sizeof word;
    return word;
  }
  std::string next_bytes() {
    const auto size = static_cast<size_t>(next());
    std::string result = at_ + size <= bytes_.size() ? bytes_.substr(at_, size) : std::string();
    at_ += (size + 7) / 8 * 8;
    return result;
  }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

// The child watches its own processor time. This ends one that waits for something without using any.
std::chrono::milliseconds wall_limit(const TraceLimits& limits, int64_t workgroups) {
  constexpr int64_t kBusy = 10;  // processes that want each processor
  return kBusy * limits.workgroup_cpu + std::chrono::seconds(kBusy) * workgroups;
}

Error error_of_child(const TracedKernel& kernel, const ProcessResult& result, std::chrono::milliseconds wall) {
  if (result.interrupted) return {.blame = Blame::kUser, .message = "interrupted"};
  if (result.timed_out) {
    return {.blame = Blame::kUser,
            .message = fmt::format("the kernel has not ended after {:.0f} s", static_cast<double>(wall.count()) / 1000),
            .advice = "a smaller variant runs faster"};
  }
  const auto json = nlohmann::json::parse(result.err, nullptr, false);
  if (result.exit_status != host::kFailed || json.is_discarded() || !json.is_object()) {
    return {.blame = Blame::kUser,
            .message = fmt::format("the kernel's process ended by signal {} (exit code {})", result.signal,
                                   result.exit_status),
            .advice = "out of memory, or a kernel that overran its stack"};
  }
  const std::string blame = json.value("blame", "internal");
  Error error{.blame = blame == "user"          ? Blame::kUser
                       : blame == "unsupported" ? Blame::kUnsupported
                                                : Blame::kInternal,
              .message = json.value("message", "")};
  const Site site = find_site(kernel, json.value("site", uint64_t{0}));
  error.place = site.place;
  if (site.caller > 0) error.message += fmt::format(", called from line {}", site.caller);
  if (const Site other = find_site(kernel, json.value("other_site", uint64_t{0})); other.place.line > 0) {
    error.message += fmt::format(" (the other is at line {}{})", other.place.line,
                                 other.caller > 0 ? fmt::format(", called from line {}", other.caller) : "");
  }
  return error;
}

// Runs the child with a request for so many workgroups and returns its answer.
Expected<std::string> run_host(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes,
                               nlohmann::json request, int64_t workgroups, const TraceLimits& limits) {
  const auto program = trace_host();
  if (!program) return tl::unexpected(program.error());
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const auto answer = folder->path() / "answer";
  request["library"] = kernel.library().string();
  request["symbols"] = nlohmann::json::array();
  for (const LibrarySymbol& symbol : kernel.symbols()) {
    const auto& names = kernel.dynamic_shared();
    request["symbols"].push_back({{"name", symbol.name},
                                  {"shared", symbol.shared},
                                  {"offset", symbol.offset},
                                  {"bytes", symbol.bytes},
                                  {"zeros", symbol.zeros},
                                  {"dynamic", std::find(names.begin(), names.end(), symbol.mangled) != names.end()}});
  }
  request["limit_ms"] = std::max<int64_t>(limits.workgroup_cpu.count(), 1);
  request["answer"] = answer.string();
  request["grid"] = {instance.grid.x, instance.grid.y, instance.grid.z};
  request["block"] = {instance.block.x, instance.block.y, instance.block.z};
  request["shared_bytes"] = instance.shared_bytes;
  request["wave_lanes"] = wave_lanes;
  request["warp_lanes"] = kernel.warp_lanes(wave_lanes);
  request["arguments"] = nlohmann::json::array();
  for (const Argument& argument : instance.arguments) request["arguments"].push_back(host::to_json(argument));
  const auto wall = wall_limit(limits, workgroups);
  const auto result =
      run_process({program->string()}, {.wall = wall, .memory_bytes = limits.memory_bytes}, request.dump());
  if (!result) return tl::unexpected(result.error());
  if (!result->ok()) return tl::unexpected(error_of_child(kernel, *result, wall));
  return read_file(answer, size_t{8} << 30);
}

Workload empty_workload(const CaseInstance& instance) {
  Workload workload;
  workload.sites.emplace_back();
  workload.grid = {1, 1, 1};
  workload.threads_per_workgroup = instance.block.size();
  for (const Argument& argument : instance.arguments) {
    if (argument.buffer)
      workload.arrays.push_back({argument.name, argument.elements * size_of(argument.dtype), size_of(argument.dtype)});
  }
  return workload;
}

TracedTile read_tile(Words& words, const CaseInstance& instance) {
  // Array indices count buffers only; the host counts all arguments.
  std::map<int64_t, int16_t> array_of_argument;
  for (size_t i = 0; i < instance.arguments.size(); ++i) {
    if (instance.arguments[i].buffer)
      array_of_argument.emplace(static_cast<int64_t>(i), static_cast<int16_t>(array_of_argument.size()));
  }
  TracedTile tile;
  tile.tile = words.next();
  tile.complete = words.next() != 0;
  tile.result_used = words.next() != 0;
  tile.instructions = static_cast<uint64_t>(words.next());
  Workload& workload = tile.footprint = empty_workload(instance);
  const int64_t phases = words.next();
  workload.tile_begin = {0, phases};
  workload.phase_begin.push_back(0);
  for (int64_t p = 0; p < phases; ++p) {
    const int64_t groups = words.next();
    for (int64_t g = 0; g < groups; ++g) {
      Access access;
      access.array = array_of_argument[words.next()];
      access.kind = static_cast<AccessKind>(words.next());
      access.origin = words.next();
      std::vector<uint64_t> site(static_cast<size_t>(words.next()));
      for (uint64_t& offset : site) offset = static_cast<uint64_t>(words.next());
      access.site = site_index(workload.sites, site);
      access.pattern = static_cast<int32_t>(workload.patterns.size());
      Pattern pattern;
      const int64_t segments = words.next();
      for (int64_t s = 0; s < segments; ++s) {
        const int64_t offset = words.next();
        const int64_t packed = words.next();
        pattern.segments.push_back(
            {offset, static_cast<int32_t>(packed & 0xFFFFFFFF), static_cast<int32_t>(packed >> 32)});
      }
      workload.patterns.push_back(std::move(pattern));
      workload.accesses.push_back(access);
    }
    workload.phase_begin.push_back(static_cast<int64_t>(workload.accesses.size()));
  }
  return tile;
}

// "byte 4 of 'flags': workgroup 2 reads what workgroup 1 writes, line 7"
std::string read_conflict(Words& words, const TracedKernel& kernel) {
  const std::string where = words.next_bytes();
  const int64_t first = words.next();
  const int64_t second = words.next();
  const bool reads = words.next() != 0;
  const Site site = find_site(kernel, static_cast<uint64_t>(words.next()));
  const std::string other = first < 0 ? "others" : fmt::format("workgroup {}", first);
  return fmt::format("{}: workgroup {} {} what {} {}{}", where, second, reads ? "reads" : "writes", other,
                     first < 0 ? "touch"
                     : reads   ? "writes"
                               : "touches",
                     site.place.line > 0 ? fmt::format(", line {}", site.place.line) : "");
}

}  // namespace

Expected<std::vector<TracedTile>> trace_tiles(const TracedKernel& kernel, const CaseInstance& instance,
                                              const TraceRequest& request, const TraceLimits& limits) {
  const auto answer = run_host(kernel, instance, request.wave_lanes,
                               {{"mode", "trace"}, {"tiles", request.tiles}, {"prefix", request.prefix_requests}},
                               static_cast<int64_t>(request.tiles.size()), limits);
  if (!answer) return tl::unexpected(answer.error());
  Words words(*answer);
  std::vector<TracedTile> tiles;
  tiles.reserve(request.tiles.size());
  for (size_t i = 0; i < request.tiles.size(); ++i) tiles.push_back(read_tile(words, instance));
  return tiles;
}

Expected<FullRun> run_grid(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes,
                           const TraceLimits& limits) {
  const auto answer = run_host(kernel, instance, wave_lanes, {{"mode", "run"}}, instance.grid.size(), limits);
  if (!answer) return tl::unexpected(answer.error());
  Words words(*answer);
  FullRun run;
  run.order_dependent = words.next() != 0;
  if (run.order_dependent) run.order_dependence = read_conflict(words, kernel);
  run.atomics = words.next() != 0;
  for (const Argument& argument : instance.arguments) {
    if (!argument.output) continue;
    run.write_count_hashes.push_back(static_cast<uint64_t>(words.next()));
    run.unwritten_bytes.push_back(words.next());
    run.outputs.push_back(words.next_bytes());
  }
  return run;
}

}  // namespace swizzleperf

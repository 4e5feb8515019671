#include "verify/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <numeric>
#include <optional>
#include <random>

#include "frontend/clike/device_compile.h"
#include "verify/compare.h"

namespace swizzleperf {
namespace {

using Outcome = GateStep::Outcome;

GateStep failed(std::string name, std::string detail) {
  return {std::move(name), Outcome::kFailed, std::move(detail)};
}

// Atomics without a tolerance that differ in the last bits prove nothing, either way.
bool needs_tolerance(const Argument& argument, const FullRun& run) {
  return run.atomics && is_floating(argument.dtype) && argument.tolerance == 0;
}

GateStep compare_runs(const CaseInstance& small, const FullRun& original, const FullRun& patched,
                      const std::string& name) {
  size_t output = 0;
  std::string tolerances;
  const bool atomics = original.atomics || patched.atomics;
  for (const Argument& argument : small.arguments) {
    if (!argument.output) continue;
    if (output >= original.outputs.size() || output >= patched.outputs.size())
      return failed(name, "the runs returned fewer outputs than the case has");
    if (const auto difference =
            output_difference(argument, original.outputs[output], patched.outputs[output], atomics)) {
      if (!needs_tolerance(argument, original)) return failed(name, *difference);
      return {name, Outcome::kNotDone,
              *difference + "; the kernel adds with atomics, whose sums depend on the order: state a `tolerance`"};
    }
    if (atomics && argument.tolerance > 0)
      tolerances += fmt::format("{} `{}` to {}", tolerances.empty() ? ";" : ",", argument.name, argument.tolerance);
    if (original.write_count_hashes.at(output) != patched.write_count_hashes.at(output))
      return failed(name, "locations of `" + argument.name + "` are not written as often as before");
    if (original.unwritten_bytes.at(output) != patched.unwritten_bytes.at(output))
      return failed(name, "other bytes of `" + argument.name + "` stay unwritten");
    ++output;
  }
  if (output == 0) return {name, Outcome::kNotDone, "the case names no output"};
  return {name, Outcome::kPassed,
          fmt::format("{} output(s) {} on grid {}, each location written as often{}", output,
                      tolerances.empty() ? "equal bit by bit" : "alike", to_string(small.grid), tolerances)};
}

// The map on the verify grid, so that its arithmetic runs there and not only the guard's other branch.
std::optional<Swizzle> prove_small(const Swizzle& swizzle, const CaseInstance& small) {
  Sizes sizes = small.sizes;
  for (const char* name : {"num_xcds", "cus_per_xcd"}) {
    if (const auto found = swizzle.sizes().find(name); found != swizzle.sizes().end()) sizes[name] = found->second;
  }
  auto proof = prove(swizzle.expr(), small.grid, sizes);
  if (!proof || !std::holds_alternative<Swizzle>(*proof)) return std::nullopt;
  return std::get<Swizzle>(*proof);
}

// A permutation of a grid that moves every axis, for a map that is none there: id times a factor that has no divisor
// in common with the number of workgroups. Nothing for a single workgroup.
std::optional<Swizzle> shuffle(const Grid& grid) {
  const int64_t count = grid.size();
  if (count == 1) return std::nullopt;
  constexpr double kGoldenRatio = 0.618;  // neighbours end up far apart
  auto factor = std::max<int64_t>(1, static_cast<int64_t>(kGoldenRatio * static_cast<double>(count)));
  while (std::gcd(factor, count) != 1) ++factor;
  const auto expr =
      SwizzleExpr::parse(fmt::format("pid = (wg * {} + {}) % num_wgs", factor, (count + 1) / 2), "the gate's shuffle");
  if (!expr) return std::nullopt;
  auto proof = prove(*expr, grid, {});
  if (!proof || !std::holds_alternative<Swizzle>(*proof)) return std::nullopt;
  return std::get<Swizzle>(*proof);
}

struct Small {
  CaseInstance instance;
  FullRun original;
};

// What is checked, and how: shared by the steps, which run side by side.
struct Job {
  const Case& the_case;
  const CaseInstance& instance;
  const KernelInfo& kernel;
  const TracedKernel& original;
  const Swizzle& swizzle;
  const Rewritten& rewritten;
  int64_t lanes;
  const GateOptions& options;
};

GateStep run_and_compare(const Job& job, const TracedKernel& patched, const Small& small, const std::string& name) {
  const auto run = run_grid(patched, small.instance, job.lanes, job.options.limits);
  if (!run) return failed(name, describe(run.error()));
  return compare_runs(small.instance, small.original, *run, name);
}

// The map itself at the verify size, rewritten and run; where it is no permutation there, as one with numbers of the
// real grid in it, another one: the kernel then runs in another order, by the same remap of its ids.
GateStep active_step(const Job& job, const Small& small) {
  const auto proven = prove_small(job.swizzle, small.instance);
  const std::string name = proven ? "equal outputs, map active" : "equal outputs, shuffled";
  const auto active = proven ? proven : shuffle(small.instance.grid);
  if (!active)
    return {name, Outcome::kNotDone, "the verify grid is one workgroup: only the guard's identity ran there", false};
  if (!proven && small.original.order_dependent)
    return {name, Outcome::kNotDone, "the map is no bijection on the verify grid, and another order changes the result",
            false};
  const auto source = rewrite_kernel(job.the_case, job.kernel, *active);
  if (!source) return failed(name, describe(source.error()));
  const auto compiled = TracedKernel::compile(job.the_case, job.kernel, source->source);
  if (!compiled) return failed(name, describe(compiled.error()));
  GateStep step = run_and_compare(job, *compiled, small, name);
  if (!proven) step.detail += fmt::format("; by `{}`, as the map is no bijection on this grid", active->expr().text());
  return step;
}

struct WholeRuns {
  std::vector<GateStep> steps;
  bool order_dependent = false;
};

// Whole runs on the verify variant. `patched` is awaited once the original has run.
WholeRuns whole_runs(const Job& job, const std::shared_future<Expected<TracedKernel>>& patched) {
  const auto not_done = [&](const std::string& why) {
    return WholeRuns{{{"order dependence", Outcome::kNotDone, why}, {"equal outputs", Outcome::kNotDone, why}}};
  };
  auto instance = job.the_case.instance("verify");
  if (!instance) return not_done("no usable `verify` variant: " + instance.error().message);
  auto run = run_grid(job.original, *instance, job.lanes, job.options.limits);
  if (!run) return not_done("the original does not run: " + describe(run.error()));
  const Small small{std::move(*instance), std::move(*run)};
  const bool dependent = small.original.order_dependent;
  const bool refused = dependent && !job.options.allow_order_dependent;
  WholeRuns result{.order_dependent = dependent};
  result.steps.push_back(
      {"order dependence", refused ? Outcome::kNotDone : Outcome::kPassed,
       dependent ? small.original.order_dependence : "no workgroup touches what another one writes (verify variant)"});
  auto active = std::async(std::launch::async, [&] {
    // That another order changes something, or does not end, is known already.
    if (refused) return GateStep{"equal outputs, map active", Outcome::kNotDone, "the order may matter", false};
    return active_step(job, small);
  });
  if (patched.get()) result.steps.push_back(run_and_compare(job, *patched.get(), small, "equal outputs"));
  result.steps.push_back(active.get());
  return result;
}

// The same accesses in the same order, whatever ids the patterns got.
bool same_stream(const Workload& a, const Workload& b) {
  if (a.accesses.size() != b.accesses.size() || a.phase_begin != b.phase_begin) return false;
  for (size_t i = 0; i < a.accesses.size(); ++i) {
    const Access &x = a.accesses[i], &y = b.accesses[i];
    if (x.origin != y.origin || x.array != y.array || x.kind != y.kind) return false;
    if (!(a.patterns.at(static_cast<size_t>(x.pattern)) == b.patterns.at(static_cast<size_t>(y.pattern)))) return false;
  }
  return true;
}

// Tile map(w) of the original against launch w of the patched kernel: first, last and three random launches.
GateStep sampled_streams(const Job& job, const TracedKernel& patched) {
  const std::string name = "access streams of sampled tiles";
  const Swizzle& swizzle = job.swizzle;
  const int64_t count = swizzle.grid().size();
  std::mt19937_64 random(20240817);
  TraceRequest launches{.tiles = {0, count - 1}, .prefix_requests = 4096, .wave_lanes = job.lanes};
  for (int i = 0; i < 3; ++i) launches.tiles.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(count)));
  TraceRequest tiles = launches;
  for (int64_t& tile : tiles.tiles) tile = swizzle.tiles()[static_cast<size_t>(tile)];
  const auto expected = trace_tiles(job.original, job.instance, tiles, job.options.limits);
  if (!expected) return {name, Outcome::kNotDone, "the original does not run: " + describe(expected.error())};
  const auto seen = trace_tiles(patched, job.instance, launches, job.options.limits);
  if (!seen) return failed(name, describe(seen.error()));
  if (seen->size() != launches.tiles.size() || expected->size() != seen->size())
    return failed(name, "the traces returned another number of tiles than was asked for");
  for (size_t i = 0; i < seen->size(); ++i) {
    if (!same_stream((*expected)[i].footprint, (*seen)[i].footprint))
      return failed(name,
                    fmt::format("launch {} of the patched kernel does not touch what tile {} of the original does",
                                launches.tiles[i], tiles.tiles[i]));
  }
  return {name, Outcome::kPassed, fmt::format("{} launches of {}, first 4096 requests each", seen->size(), count)};
}

// The patch is judged by what it does to the text, not by who made it.
GateStep patch_step(const Job& job) {
  if (const auto status = check_rewritten(job.the_case, job.kernel, job.rewritten); !status)
    return failed("patch", describe(status.error()));
  size_t remaps = 0;
  for (const Edit& edit : job.rewritten.edits) remaps += edit.before.empty() ? 1 : 0;
  return {"patch", Outcome::kPassed,
          fmt::format("{} remap(s) inserted and {} read(s) replaced: undone, the file is the original byte for byte; "
                      "signature kept, no other read of the block id left",
                      remaps, job.rewritten.edits.size() - remaps)};
}

// A compiler for one architecture, and the dialect that it takes.
struct DeviceCompiler {
  Dialect dialect;
  const char* arch;
  const char* description;
  Expected<CompiledResources> (*compile)(const Case&, const KernelInfo&, const std::string&, const std::string&);
};
constexpr DeviceCompiler kAmd = {Dialect::kHip, "gfx942", "clang with SwizzlePerf's own device headers",
                                 compile_for_amd};
constexpr DeviceCompiler kNvidia = {Dialect::kCuda, "sm_90", "nvcc", compile_for_nvidia};

// A kernel that does not compile before the rewrite says nothing about the rewrite.
GateStep device_step(const Job& job, const DeviceCompiler& compiler) {
  const std::string name = fmt::format("compile {}", compiler.arch);
  if (job.the_case.dialect != compiler.dialect) {
    return {name, Outcome::kNotDone, job.the_case.dialect == Dialect::kHip ? "a HIP kernel" : "a CUDA kernel", false};
  }
  const auto compile = [&](const std::string& source) {
    return compiler.compile(job.the_case, job.kernel, source, compiler.arch);
  };
  auto original = std::async(std::launch::async, [&] { return compile(job.kernel.source); });
  const auto after = compile(job.rewritten.source);
  const auto before = original.get();
  if (!before) return {name, Outcome::kNotDone, "the original does not compile: " + describe(before.error()), false};
  if (!after) return failed(name, describe(after.error()));
  return {name, Outcome::kPassed,
          fmt::format("{}; {} vector registers before, {} after", compiler.description, before->vgprs, after->vgprs)};
}

}  // namespace

bool GateReport::passed() const {
  if (steps.empty()) return false;
  for (const GateStep& step : steps) {
    if (step.outcome == Outcome::kFailed || (step.outcome == Outcome::kNotDone && step.mandatory)) return false;
  }
  return true;
}

std::string GateReport::verdict() const {
  for (const GateStep& step : steps) {
    if (step.outcome == GateStep::Outcome::kFailed) return "rejected: " + step.name + ": " + step.detail;
  }
  if (passed()) return "proven";
  for (const GateStep& step : steps) {
    if (step.outcome == GateStep::Outcome::kNotDone && step.mandatory)
      return order_dependent && step.name == "order dependence" ? "unverified: order-dependent: " + step.detail
                                                                : "unverified: " + step.name + ": " + step.detail;
  }
  return "unverified: no check was done";
}

Expected<GateReport> run_gate(const Case& the_case, const CaseInstance& instance, const KernelInfo& kernel,
                              const TracedKernel& original, const Swizzle& swizzle, const Rewritten& rewritten,
                              int64_t wave_lanes, const GateOptions& options) {
  const Job job{the_case, instance, kernel, original, swizzle, rewritten, wave_lanes, options};
  GateReport report;
  if (swizzle.grid() != instance.grid) {
    report.steps.push_back(failed("bijection", "the map is proven on grid " + to_string(swizzle.grid()) +
                                                   ", the launch has " + to_string(instance.grid)));
    return report;
  }
  report.steps.push_back(
      {"bijection", Outcome::kPassed,
       fmt::format("all {} launches of grid {} evaluated", instance.grid.size(), to_string(instance.grid))});

  // The steps are child processes that need each other little: they run side by side.
  const auto start = [](auto step) { return std::async(std::launch::async, step); };
  const std::shared_future<Expected<TracedKernel>> patched =
      start([&] { return TracedKernel::compile(the_case, kernel, rewritten.source); });
  auto amd = start([&] { return device_step(job, kAmd); });
  auto nvidia = start([&] { return device_step(job, kNvidia); });
  auto runs = start([&] { return whole_runs(job, patched); });

  report.steps.push_back(patch_step(job));
  if (!patched.get()) {
    report.steps.push_back(failed("compile cpu", describe(patched.get().error())));
    return report;
  }
  report.steps.push_back({"compile cpu", Outcome::kPassed, "clang, against SwizzlePerf's own headers"});
  GateStep streams = sampled_streams(job, *patched.get());
  WholeRuns whole = runs.get();
  report.order_dependent = whole.order_dependent;
  for (GateStep& step : whole.steps) report.steps.push_back(std::move(step));
  report.steps.push_back(std::move(streams));
  report.steps.push_back(amd.get());
  report.steps.push_back(nvidia.get());
  return report;
}

}  // namespace swizzleperf

#include "verify/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "frontend/clike/device_compile.h"

namespace swizzleperf {
namespace {

using Outcome = GateStep::Outcome;

GateStep failed(std::string name, std::string detail) {
  return {std::move(name), Outcome::kFailed, std::move(detail)};
}

// Every byte alike. Float outputs need a tolerance to be compared by value; NaN then never equals a number, and two NaN
// are equal only with the same bits.
template <class T>
bool close(const std::string& a, const std::string& b, double tolerance) {
  for (size_t at = 0; at + sizeof(T) <= a.size(); at += sizeof(T)) {
    if (std::memcmp(&a[at], &b[at], sizeof(T)) == 0) continue;
    T x, y;
    std::memcpy(&x, &a[at], sizeof(T));
    std::memcpy(&y, &b[at], sizeof(T));
    const bool near = std::abs(double(x) - double(y)) <= tolerance * std::max(1.0, std::abs(double(x)));
    if (!near) return false;
  }
  return true;
}

bool equal_output(const Argument& argument, const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  if (argument.tolerance > 0 && argument.dtype == DType::kF32) return close<float>(a, b, argument.tolerance);
  if (argument.tolerance > 0 && argument.dtype == DType::kF64) return close<double>(a, b, argument.tolerance);
  return a == b;
}

GateStep compare_runs(const CaseInstance& small, const FullRun& original, const FullRun& patched,
                      const std::string& name) {
  size_t output = 0;
  for (const Argument& argument : small.arguments) {
    if (!argument.output) continue;
    if (output >= original.outputs.size() || output >= patched.outputs.size())
      return failed(name, "the runs returned fewer outputs than the case has");
    if (!equal_output(argument, original.outputs[output], patched.outputs[output]))
      return failed(name, "`" + argument.name + "` differs between the original and the patched kernel");
    if (original.write_count_hashes.at(output) != patched.write_count_hashes.at(output))
      return failed(name, "locations of `" + argument.name + "` are not written as often as before");
    if (original.unwritten_bytes.at(output) != patched.unwritten_bytes.at(output))
      return failed(name, "other bytes of `" + argument.name + "` stay unwritten");
    ++output;
  }
  if (output == 0) return {name, Outcome::kNotDone, "the case names no output"};
  return {name, Outcome::kPassed,
          fmt::format("{} output(s) alike on grid {}, each location written as often", output, to_string(small.grid))};
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

struct Small {
  CaseInstance instance;
  FullRun original;
};

void run_and_compare(const Case& the_case, const KernelInfo& kernel, const std::string& source, const Small& small,
                     int64_t lanes, const GateOptions& options, const std::string& name, GateReport& report) {
  const auto compiled = TracedKernel::compile(the_case, kernel, source);
  if (!compiled) return report.steps.push_back(failed(name, describe(compiled.error())));
  const auto run = run_grid(*compiled, small.instance, lanes, options.limits);
  if (!run) return report.steps.push_back(failed(name, describe(run.error())));
  report.steps.push_back(compare_runs(small.instance, small.original, *run, name));
}

void whole_runs(const Case& the_case, const KernelInfo& kernel, const TracedKernel& original, const Swizzle& swizzle,
                const Rewritten& rewritten, int64_t lanes, const GateOptions& options, GateReport& report) {
  const auto not_done = [&](const std::string& why) {
    report.steps.push_back({"order dependence", Outcome::kNotDone, why});
    report.steps.push_back({"equal outputs", Outcome::kNotDone, why});
  };
  auto instance = the_case.instance("verify");
  if (!instance) return not_done("no usable `verify` variant: " + instance.error().message);
  auto run = run_grid(original, *instance, lanes, options.limits);
  if (!run) return not_done("the original does not run: " + describe(run.error()));
  const Small small{std::move(*instance), std::move(*run)};
  report.order_dependent = small.original.order_dependent;
  const bool bad = report.order_dependent && !options.allow_order_dependent;
  report.steps.push_back({"order dependence", bad ? Outcome::kNotDone : Outcome::kPassed,
                          report.order_dependent ? small.original.order_dependence
                                                 : "no workgroup touches what another one writes (verify variant)"});
  run_and_compare(the_case, kernel, rewritten.source, small, lanes, options, "equal outputs", report);
  const std::string name = "equal outputs, map active";
  const auto active = prove_small(swizzle, small.instance);
  if (!active) {
    report.steps.push_back(
        {name, Outcome::kNotDone, "the map is no bijection on the verify grid: only the guard's identity ran there"});
    return;
  }
  const auto source = rewrite_kernel(the_case, kernel, *active);
  if (!source) return report.steps.push_back(failed(name, describe(source.error())));
  run_and_compare(the_case, kernel, source->source, small, lanes, options, name, report);
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
GateStep sampled_streams(const CaseInstance& instance, const TracedKernel& original, const TracedKernel& patched,
                         const Swizzle& swizzle, int64_t lanes, const GateOptions& options) {
  const std::string name = "access streams of sampled tiles";
  const int64_t count = swizzle.grid().size();
  std::mt19937_64 random(20240817);
  TraceRequest launches{.tiles = {0, count - 1}, .prefix_requests = 4096, .wave_lanes = lanes};
  for (int i = 0; i < 3; ++i) launches.tiles.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(count)));
  TraceRequest tiles = launches;
  for (int64_t& tile : tiles.tiles) tile = swizzle.tiles()[static_cast<size_t>(tile)];
  const auto expected = trace_tiles(original, instance, tiles, options.limits);
  if (!expected) return {name, Outcome::kNotDone, "the original does not run: " + describe(expected.error())};
  const auto seen = trace_tiles(patched, instance, launches, options.limits);
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

using DeviceCompiler = Expected<CompiledResources> (*)(const Case&, const KernelInfo&, const std::string&,
                                                       const std::string&);

// A kernel that does not compile before the rewrite says nothing about the rewrite.
GateStep device_step(const std::string& name, const Case& the_case, const KernelInfo& kernel, const std::string& source,
                     DeviceCompiler compile, const std::string& arch) {
  const auto before = compile(the_case, kernel, kernel.source, arch);
  if (!before) return {name, Outcome::kNotDone, "the original does not compile: " + describe(before.error())};
  const auto after = compile(the_case, kernel, source, arch);
  if (!after) return failed(name, describe(after.error()));
  return {name, Outcome::kPassed,
          fmt::format("SwizzlePerf's own device headers; {} vector registers before, {} after", before->vgprs,
                      after->vgprs)};
}

// Steps that depend on tools or sizes that not everybody has; the others are mandatory.
bool may_be_absent(const GateStep& step) {
  return step.name == "compile gfx942" || step.name == "compile sm_90" || step.name == "equal outputs, map active";
}

}  // namespace

bool GateReport::passed() const {
  if (steps.empty()) return false;
  for (const GateStep& step : steps) {
    if (step.outcome == Outcome::kFailed || (step.outcome == Outcome::kNotDone && !may_be_absent(step))) return false;
  }
  return true;
}

std::string GateReport::verdict() const {
  for (const GateStep& step : steps) {
    if (step.outcome == GateStep::Outcome::kFailed) return "rejected: " + step.name + ": " + step.detail;
  }
  if (passed()) return "proven";
  for (const GateStep& step : steps) {
    if (step.outcome == GateStep::Outcome::kNotDone && !may_be_absent(step))
      return order_dependent && step.name == "order dependence" ? "unverified: order-dependent: " + step.detail
                                                                : "unverified: " + step.name + ": " + step.detail;
  }
  return "unverified: no check was done";
}

Expected<GateReport> run_gate(const Case& the_case, const CaseInstance& instance, const KernelInfo& kernel,
                              const TracedKernel& original, const Swizzle& swizzle, const Rewritten& rewritten,
                              int64_t wave_lanes, const GateOptions& options) {
  GateReport report;
  if (swizzle.grid() == instance.grid) {
    report.steps.push_back(
        {"bijection", Outcome::kPassed,
         fmt::format("all {} launches of grid {} evaluated", instance.grid.size(), to_string(instance.grid))});
  } else {
    report.steps.push_back(failed("bijection", "the map is proven on grid " + to_string(swizzle.grid()) +
                                                   ", the launch has " + to_string(instance.grid)));
    return report;
  }
  // Only rewrite_kernel makes the patch, and it has checked the result; here it must still be this kernel's.
  const bool same = rewritten.source != kernel.source && !rewritten.patch.empty();
  report.steps.push_back({"patch", same ? Outcome::kPassed : Outcome::kFailed,
                          same ? "signature kept, no other read of the block id left" : "the patch is empty"});
  const auto patched = TracedKernel::compile(the_case, kernel, rewritten.source);
  if (!patched) {
    report.steps.push_back(failed("compile cpu", describe(patched.error())));
    return report;
  }
  report.steps.push_back({"compile cpu", Outcome::kPassed, "clang, against SwizzlePerf's own headers"});
  whole_runs(the_case, kernel, original, swizzle, rewritten, wave_lanes, options, report);
  report.steps.push_back(sampled_streams(instance, original, *patched, swizzle, wave_lanes, options));
  report.steps.push_back(device_step("compile gfx942", the_case, kernel, rewritten.source, compile_for_amd, "gfx942"));
  report.steps.push_back(
      the_case.dialect == Dialect::kCuda
          ? device_step("compile sm_90", the_case, kernel, rewritten.source, compile_for_nvidia, "sm_90")
          : GateStep{"compile sm_90", Outcome::kNotDone, "a HIP kernel"});
  return report;
}

}  // namespace swizzleperf

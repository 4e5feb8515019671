#include "frontend/triton/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <numeric>
#include <random>
#include <set>

#include "base/file.h"
#include "frontend/clike/infer.h"
#include "frontend/triton/footprint.h"

namespace swizzleperf {
namespace {

using triton::Evaluator;
using triton::FootprintSink;
using triton::Launch;
using triton::Memory;
using triton::Type;

constexpr size_t kMaxIrBytes = size_t{64} << 20;

std::string spelled(const Type& type) {
  const char* const names[] = {"integer", "floating-point", "pointer", "tensor descriptor", "unknown"};
  return fmt::format("{}{} value", names[static_cast<size_t>(type.element)],
                     type.bits > 0 && type.element < Type::Element::kPointer ? fmt::format(" {}-bit", type.bits) : "");
}

// A parameter of the IR takes a buffer where it is a pointer or a descriptor, else a scalar of its kind.
bool takes(const Type& parameter, const ArgumentOutline& argument) {
  const bool points = parameter.element == Type::Element::kPointer || parameter.element == Type::Element::kDescriptor;
  if (points != argument.buffer || argument.structure) return false;
  if (points) return true;
  return (parameter.element == Type::Element::kFloat) == is_floating(argument.dtype);
}

Expected<void> check_parameters(const Case& the_case, const triton::Program& program) {
  if (the_case.arguments.size() != program.parameters.size()) {
    return user_error(fmt::format("the case has {} arguments, '{}' in the IR takes {}", the_case.arguments.size(),
                                  program.kernel, program.parameters.size()),
                      {the_case.file.string()},
                      "give one [[args]] for each parameter of the tt.func: constexprs and arguments that Triton "
                      "specialised away are none");
  }
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const Type& type = program.types[static_cast<size_t>(program.parameters[i])];
    const ArgumentOutline& argument = the_case.arguments[i];
    if (takes(type, argument)) continue;
    return user_error(fmt::format("argument '{}' is a {} of {}, but parameter {} of '{}' in the IR is a {}",
                                  argument.name, argument.buffer ? "buffer" : "scalar", to_string(argument.dtype),
                                  i + 1, program.kernel, spelled(type)),
                      argument.place);
  }
  return {};
}

// Evaluates programs in two threads, each with an evaluator of its own.
class ProgramTracer : public TileTracer {
 public:
  ProgramTracer(const triton::Program& program, const CaseInstance& instance, const Launch& launch)
      : program_(program), instance_(instance), launch_(launch), memory_(instance) {}

  Expected<std::vector<TracedTile>> run(const std::vector<int64_t>& tiles, int64_t prefix) const override {
    const size_t half = (tiles.size() + 1) / 2;
    auto second = std::async(std::launch::async, [&] { return part(tiles, half, tiles.size(), prefix); });
    auto first = part(tiles, 0, half, prefix);
    auto rest = second.get();
    if (!first) return first;
    if (!rest) return rest;
    std::move(rest->begin(), rest->end(), std::back_inserter(*first));
    return first;
  }

 private:
  Expected<std::vector<TracedTile>> part(const std::vector<int64_t>& tiles, size_t begin, size_t end,
                                         int64_t prefix) const {
    std::vector<TracedTile> result;
    FootprintSink sink(instance_, launch_);
    Evaluator evaluator(program_, instance_, memory_, sink);
    for (size_t i = begin; i < end; ++i) {
      sink.begin(tiles[i], prefix);
      if (auto status = evaluator.run(tiles[i]); !status) return tl::unexpected(status.error());
      result.push_back(sink.finish());
    }
    return result;
  }

  const triton::Program& program_;
  const CaseInstance& instance_;
  Launch launch_;
  Memory memory_;
};

}  // namespace

Expected<TritonKernel> TritonKernel::read(const Case& the_case, const std::string& text, const std::string& file) {
  auto module = triton::parse_ttir(text, file);
  if (!module) return tl::unexpected(module.error());
  auto program = triton::build_program(std::make_shared<const triton::Module>(std::move(*module)), the_case.kernel);
  if (!program) return tl::unexpected(program.error());
  if (auto status = check_parameters(the_case, *program); !status) return tl::unexpected(status.error());
  TritonKernel kernel;
  kernel.name_ = the_case.kernel;
  kernel.program_ = std::make_shared<const triton::Program>(std::move(*program));
  return kernel;
}

namespace {

// What the compiler said for the GPU's architecture, if the case has it.
const CompiledFigures* compiled_for(const CaseInstance& instance, const GpuSpec& gpu) {
  const auto found = instance.compiled.find(gpu.arch);
  return found == instance.compiled.end() ? nullptr : &found->second;
}

}  // namespace

OccupancyEstimate triton_occupancy(const CaseInstance& instance, const GpuSpec& gpu) {
  if (instance.occupancy)
    return {*instance.occupancy, instance.occupancy_source.empty()
                                     ? "stated by the case"
                                     : "stated by the case: " + instance.occupancy_source};
  const CompiledFigures* compiled = compiled_for(instance, gpu);
  if (compiled == nullptr) {
    return {occupancy(gpu, instance.warps * gpu.wave_lanes, {}),
            fmt::format("assumed from wave slots: the case has no [compiled.{}]", gpu.arch)};
  }
  return {occupancy(gpu, compiled->warps * gpu.wave_lanes,
                    {.registers_per_lane = compiled->registers, .shared_bytes = compiled->shared_bytes}),
          fmt::format("Triton's {} code, as the case says: {}{} B of shared memory", gpu.arch,
                      compiled->registers > 0 ? fmt::format("{} registers a lane, ", compiled->registers) : "",
                      compiled->shared_bytes)};
}

Expected<Workload> triton_workload(const TritonKernel& kernel, const CaseInstance& instance, const GpuSpec& gpu) {
  const CompiledFigures* compiled = compiled_for(instance, gpu);
  const int64_t warps = compiled != nullptr ? compiled->warps : instance.warps;
  const Launch launch{warps * gpu.wave_lanes, gpu.wave_lanes};
  auto workload = infer_workload(ProgramTracer(kernel.program(), instance, launch), instance.grid);
  if (!workload) return workload;
  workload->flops = instance.flops;
  workload->flops_dtype = instance.flops_dtype;
  workload->flops_matrix = instance.flops_matrix;
  return workload;
}

namespace {

// The first access in which two footprints differ, in words; empty where there is none.
std::string first_difference(const Workload& a, const Workload& b) {
  const size_t count = std::min(a.accesses.size(), b.accesses.size());
  for (size_t i = 0; i < count; ++i) {
    const Access& x = a.accesses[i];
    const Access& y = b.accesses[i];
    const bool same = x.origin == y.origin && x.array == y.array && x.kind == y.kind &&
                      a.patterns[static_cast<size_t>(x.pattern)] == b.patterns[static_cast<size_t>(y.pattern)];
    if (same) continue;
    const auto at = [](const Workload& w, const Access& access) {
      return fmt::format("'{}' from byte {}", w.arrays[static_cast<size_t>(access.array)].name, access.origin);
    };
    return fmt::format("access {} touches {} instead of {}", i + 1, at(b, y), at(a, x));
  }
  if (a.accesses.size() == b.accesses.size()) return {};
  return fmt::format("{} accesses instead of {}", b.accesses.size(), a.accesses.size());
}

std::vector<int64_t> sampled_launches(int64_t count) {
  std::set<int64_t> chosen;
  if (count <= kComparedLaunches) {
    for (int64_t i = 0; i < count; ++i) chosen.insert(i);
  } else {
    std::mt19937_64 random(20260103);  // fixed: the same question gives the same answer
    chosen = {0, count - 1};
    while (static_cast<int64_t>(chosen.size()) < kComparedLaunches + 2)
      chosen.insert(static_cast<int64_t>(random() % static_cast<uint64_t>(count)));
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace

Expected<TritonComparison> compare_accesses(const TritonKernel& original, const TritonKernel& rewritten,
                                            const CaseInstance& instance, const std::vector<int32_t>& tiles,
                                            int64_t wave_lanes) {
  const Launch launch{instance.warps * wave_lanes, wave_lanes};
  const ProgramTracer before(original.program(), instance, launch), after(rewritten.program(), instance, launch);
  const std::vector<int64_t> launches = sampled_launches(instance.grid.size());
  TritonComparison result;
  constexpr size_t kBatch = 64;
  for (size_t begin = 0; begin < launches.size() && result.equal; begin += kBatch) {
    const std::vector<int64_t> batch(launches.begin() + static_cast<long>(begin),
                                     launches.begin() + static_cast<long>(std::min(begin + kBatch, launches.size())));
    std::vector<int64_t> wanted;
    for (const int64_t launch_id : batch) wanted.push_back(tiles.at(static_cast<size_t>(launch_id)));
    const auto expected = before.run(wanted, 0);
    if (!expected) return tl::unexpected(expected.error());
    const auto seen = after.run(batch, 0);
    if (!seen) return tl::unexpected(seen.error());
    for (size_t i = 0; i < batch.size(); ++i) {
      ++result.compared;
      const std::string difference = first_difference((*expected)[i].footprint, (*seen)[i].footprint);
      if (difference.empty()) continue;
      result.equal = false;
      result.difference =
          fmt::format("launch {} of the rewritten kernel does not touch what tile {} of the original does: {}",
                      batch[i], wanted[i], difference);
      break;
    }
  }
  return result;
}

Expected<TritonKernel> TritonKernel::open(const Case& the_case, const std::string& variant) {
  const auto found = the_case.ir.find(variant);
  if (found == the_case.ir.end())
    return user_error("the case has no IR for its variant '" + variant + "'", {the_case.file.string()});
  const auto& file = found->second;
  const auto text = read_file(file, kMaxIrBytes);
  if (!text) return tl::unexpected(text.error());
  return read(the_case, *text, file.string());
}

}  // namespace swizzleperf

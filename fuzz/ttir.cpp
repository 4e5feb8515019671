// depends: swizzleperf_frontend
// Any text as Triton IR: an error with a place, or programs whose accesses lie in their arrays.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/triton/footprint.h"

using namespace swizzleperf;
using namespace swizzleperf::triton;

namespace {

// A buffer for each pointer, a small number for every other parameter.
CaseInstance instance_for(const Program& program) {
  CaseInstance instance;
  instance.grid = {2, 2, 1};
  for (const int parameter : program.parameters) {
    const Type& type = program.types[static_cast<size_t>(parameter)];
    Argument argument{.name = "p", .dtype = DType::kI32};
    argument.buffer = type.element == Type::Element::kPointer || type.element == Type::Element::kDescriptor;
    argument.integer = 3;
    argument.real = 3;
    argument.shape = {16, 16};
    argument.elements = 256;
    argument.init.kind = Init::Kind::kIota;
    instance.arguments.push_back(argument);
  }
  return instance;
}

void check(const Error& error) {
  if (error.message.empty() || error.blame == Blame::kInternal) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto module = parse_ttir(std::string(reinterpret_cast<const char*>(data), size), "fuzz.ttir");
  if (!module) {
    check(module.error());
    return 0;
  }
  const std::string name = module->functions.front().name;
  const auto program = build_program(std::make_shared<const Module>(std::move(*module)), name);
  if (!program) {
    check(program.error());
    return 0;
  }
  const CaseInstance instance = instance_for(*program);
  const Memory memory(instance);
  FootprintSink sink(instance, {128, 32});
  Evaluator evaluator(*program, instance, memory, sink, 20'000);
  for (int64_t tile = 0; tile < 4; ++tile) {
    sink.begin(tile, 0);
    if (const auto status = evaluator.run(tile); !status) {
      check(status.error());
      return 0;
    }
    const Workload footprint = sink.finish().footprint;
    for (const Access& access : footprint.accesses) {
      const int64_t bytes = footprint.arrays[static_cast<size_t>(access.array)].bytes;
      for (const Segment& segment : footprint.patterns[static_cast<size_t>(access.pattern)].segments) {
        const int64_t begin = access.origin + segment.offset;
        if (begin < 0 || segment.bytes < 1 || begin + segment.bytes > bytes) std::abort();
      }
    }
  }
  return 0;
}

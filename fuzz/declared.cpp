// depends: swizzleperf_workload
// Any program of a declared case: an error with a place and a sentence, or a workload whose accesses lie in its arrays.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "workload/case.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swizzleperf;
  const std::string program(reinterpret_cast<const char*>(data), size);
  if (program.find("'''") != std::string::npos) return 0;  // ends the program and begins other fields
  const auto the_case = parse_case("program = '''\n" + program + R"('''
[launch]
grid = [3, 2]
block = [64]
[variants]
main = { N = 5 }
[[arrays]]
name = "a"
dtype = "fp16"
shape = [9, "N"]
[[arrays]]
name = "b"
dtype = "int8"
shape = [7]
[[tables]]
name = "t"
random = { length = 6, low = -1, high = 9 }
)",
                                   "fuzz.toml");
  const auto check = [](const Error& error) {
    if (error.blame != Blame::kUser || error.place.file != "fuzz.toml" || error.place.line < 1) std::abort();
  };
  if (!the_case) {
    check(the_case.error());
    return 0;
  }
  const auto workload = the_case->declared->workload(the_case->instance("main").value(), 64, 100000);
  if (!workload) {
    check(workload.error());
    return 0;
  }
  if (workload->tile_begin.size() != 7) std::abort();
  for (const Access& access : workload->accesses) {
    const auto& pattern = workload->patterns[static_cast<size_t>(access.pattern)];
    const int64_t bytes = workload->arrays[static_cast<size_t>(access.array)].bytes;
    for (const Segment& segment : pattern.segments) {
      const int64_t begin = access.origin + segment.offset;
      if (begin < 0 || segment.bytes < 1 || begin + segment.bytes > bytes) std::abort();
    }
  }
  return 0;
}

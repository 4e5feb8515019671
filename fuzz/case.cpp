// depends: swizzleperf_workload
// Any text: an error with a place and a sentence, or a case whose variants give a launch within the limits or an error.
#include "workload/case.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

// The `source` of every text is this file, which exists, so that a text can be accepted.
const std::string kFolder = std::string(__FILE__).substr(0, std::string(__FILE__).rfind('/') + 1);

void expect_sound(const swizzleperf::Error& error) {
  if (error.blame != swizzleperf::Blame::kUser || error.place.file.empty() || error.message.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swizzleperf;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("npy") != std::string::npos) return 0;  // reads any file that the text names
  const auto the_case = parse_case("source = \"case.cpp\"\nkernel = \"k\"\n" + text, kFolder + "fuzz.toml");
  if (!the_case) {
    expect_sound(the_case.error());
    return 0;
  }
  if (the_case->variants.empty() || the_case->variants.front() != the_case->default_variant) std::abort();
  for (const auto& variant : the_case->variants) {
    const auto instance = the_case->instance(variant);
    if (!instance) {
      expect_sound(instance.error());
      continue;
    }
    if (instance->grid.size() < 1 || instance->block.size() < 1 || instance->block.size() > 1024) std::abort();
    for (const Argument& argument : instance->arguments) {
      if (argument.buffer && argument.elements < 1) std::abort();
    }
  }
  return 0;
}

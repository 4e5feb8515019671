// depends: swizzleperf_gpu
// Any text: an error with a place and a sentence, or a GPU whose figures the model can divide by.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpu/gpu_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swizzleperf;
  const auto gpu = parse_gpu(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
  if (!gpu) {
    if (gpu.error().blame != Blame::kUser || gpu.error().place.file != "fuzz.toml" || gpu.error().message.empty())
      std::abort();
    return 0;
  }
  for (const int64_t figure : {gpu->domains, gpu->cus_per_domain, gpu->wave_lanes, gpu->max_waves_per_cu, gpu->l2.bytes,
                               gpu->l2.line_bytes, gpu->l2.channels, gpu->l2.channel_interleave_bytes,
                               gpu->l2_partitions, gpu->load_request_bytes, gpu->store_request_bytes}) {
    if (figure < 1) std::abort();
  }
  return 0;
}

#include "tests/model/random_workloads.h"

namespace swizzleperf {

GpuSpec random_gpu(Random& random) {
  GpuSpec gpu;
  gpu.domains = random(1, 3);
  gpu.cus_per_domain = random(1, 4);
  gpu.l1 = {.bytes = random(1, 8) * 128};
  gpu.l2 = {.bytes = random(2, 32) * 4 * 128,
            .line_bytes = 128,
            .channels = random(0, 1) == 1 ? 4 : 1,
            .channel_interleave_bytes = 256};
  gpu.llc = {.bytes = random(0, 1) * 300 * 128};
  return gpu;
}

void choose_sets(GpuSpec& gpu, Random& random) {
  gpu.l2.ways = random(0, 1) == 1 ? 16 : random(1, 3) * 2;
  gpu.l2.bytes = random(1, 5) * gpu.l2.ways * gpu.l2.channels * gpu.l2.line_bytes;
  gpu.l2.set_index = random(0, 1) == 1 ? SetIndex::kModulo : SetIndex::kXorFold;
}

GpuSpec random_sided_gpu(Random& random) {
  GpuSpec gpu;
  gpu.dispatch = Dispatch::kSingleQueue;
  gpu.domains = random(1, 2);
  gpu.cus_per_domain = 2 * random(1, 3);
  gpu.l1 = {.bytes = random(0, 8) * 64};
  gpu.l2_partitions = random(1, 2);
  gpu.l1_pair_merge = random(0, 1) == 1;
  gpu.load_request_bytes = gpu.store_request_bytes = 32;
  gpu.l2 = {.bytes = random(1, 16) * 16 * 32 * 2, .line_bytes = 128, .channel_interleave_bytes = 256};
  if (random(0, 1) == 1) gpu.l2.ways = 4;
  return gpu;
}

Workload random_workload(Random& random) {
  Workload w;
  w.grid = {random(4, 40)};
  w.occupancy = random(1, 2);
  w.arrays = {{"a", 16384, 2}, {"b", 16384, 2}};
  const int64_t patterns = random(1, 3);
  for (int64_t p = 0; p < patterns; ++p) {
    Pattern pattern;
    for (int64_t s = random(1, 6); s > 0; --s)
      pattern.segments.push_back(
          {random(0, 30) * 64, static_cast<int32_t>(random(1, 256)), static_cast<int32_t>(random(1, 2))});
    w.patterns.push_back(pattern);
  }
  w.tile_begin = {0};
  w.phase_begin = {0};
  for (int64_t tile = 0; tile < w.grid.size(); ++tile) {
    for (int64_t phase = random(1, 4); phase > 0; --phase) {
      for (int64_t a = random(1, 2); a > 0; --a)
        w.accesses.push_back({random(0, 180) * 64, static_cast<int32_t>(random(0, patterns - 1)),
                              static_cast<int16_t>(random(0, 1)), static_cast<AccessKind>(random(0, 3))});
      w.phase_begin.push_back(static_cast<int64_t>(w.accesses.size()));
    }
    w.tile_begin.push_back(static_cast<int64_t>(w.phase_begin.size()) - 1);
  }
  return w;
}

}  // namespace swizzleperf

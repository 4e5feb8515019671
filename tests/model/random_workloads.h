// Random small workloads and GPUs, from a seed.
#pragma once

#include <random>

#include "gpu/gpu_spec.h"
#include "workload/workload.h"

namespace swizzleperf {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937 engine_;
};

// Chiplets of a few compute units, L2s of a few lines, fully associative in each channel.
GpuSpec random_gpu(Random& random);

// Gives an L2 ways and a set index instead.
void choose_sets(GpuSpec& gpu, Random& random);

// One queue, an L2 of one or two sides, sectors of 32 B.
GpuSpec random_sided_gpu(Random& random);

// Loads and stores of random places of two arrays.
Workload random_workload(Random& random);

}  // namespace swizzleperf

// Occupancy: how many workgroups of a kernel a compute unit holds at once.
#pragma once

#include "frontend/clike/source.h"
#include "gpu/gpu_spec.h"
#include "workload/case.h"

namespace swizzleperf {

struct OccupancyEstimate {
  int64_t workgroups_per_cu = 1;
  std::string source;  // "case", "gfx942 code: 128 VGPRs, 16384 B LDS", "assumed: ..."
};

// What a compiled kernel needs of a compute unit.
struct KernelResources {
  int64_t registers_per_lane = 0;  // 32-bit vector registers, architected and accumulation together; 0 = unknown
  int64_t shared_bytes = 0;        // static and dynamic
};

// The smallest of the limits by wave slots, registers, shared memory and workgroup slots; at least 1.
//   waves by registers = 4 * floor((registers_per_cu / 4) / (lanes * roundup(registers, 8)))
// (four SIMDs a compute unit, allocation in steps of 8: AMD CDNA3 ISA 3.6.4; NVIDIA has four partitions of an SM and
// allocates 256 registers a warp, the same figures.)
int64_t occupancy(const GpuSpec& gpu, int64_t threads_per_workgroup, const KernelResources& resources);

// The case's own figure, else that of the kernel compiled for the GPU (AMD: clang; NVIDIA: nvcc where present; HIP
// sources for NVIDIA and CUDA sources for AMD as well), else what the wave slots
// and the shared memory that the case states allow, marked as assumed.
OccupancyEstimate find_occupancy(const Case& the_case, const CaseInstance& instance, const KernelInfo& kernel,
                                 const GpuSpec& gpu);

}  // namespace swizzleperf

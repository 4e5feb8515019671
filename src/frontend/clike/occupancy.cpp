#include "frontend/clike/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/clike/device_compile.h"

namespace swizzleperf {
namespace {

int64_t round_up(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

int64_t occupancy(const GpuSpec& gpu, int64_t threads_per_workgroup, const KernelResources& resources) {
  constexpr int64_t kSimds = 4;
  constexpr int64_t kAllocationStep = 8;
  const int64_t waves = (threads_per_workgroup + gpu.wave_lanes - 1) / gpu.wave_lanes;
  int64_t limit = std::max<int64_t>(1, gpu.max_waves_per_cu / waves);
  if (gpu.max_workgroups_per_cu > 0) limit = std::min(limit, gpu.max_workgroups_per_cu);
  if (gpu.registers_per_cu > 0 && resources.registers_per_lane > 0) {
    const int64_t per_wave = gpu.wave_lanes * round_up(resources.registers_per_lane, kAllocationStep);
    limit = std::min(limit, kSimds * (gpu.registers_per_cu / kSimds / per_wave) / waves);
  }
  if (gpu.lds_bytes_per_cu > 0 && resources.shared_bytes > 0) {
    limit = std::min(limit, gpu.lds_bytes_per_cu / resources.shared_bytes);
  }
  return std::max<int64_t>(1, limit);
}

OccupancyEstimate find_occupancy(const Case& the_case, const CaseInstance& instance, const KernelInfo& kernel,
                                 const GpuSpec& gpu) {
  if (instance.occupancy) return {*instance.occupancy, "stated by the case"};
  const int64_t threads = instance.block.size();
  const auto assumed = [&](const std::string& why) -> OccupancyEstimate {
    const KernelResources stated = {.registers_per_lane = 0, .shared_bytes = instance.shared_bytes};
    return {occupancy(gpu, threads, stated), "assumed from wave slots: " + why};
  };
  // Either dialect compiles for either vendor, as far as the shim headers know what it uses.
  const auto compiled = gpu.vendor == "nvidia" ? compile_for_nvidia(the_case, kernel, kernel.source, gpu.arch)
                                               : compile_for_amd(the_case, kernel, kernel.source, gpu.arch);
  if (!compiled) return assumed(fmt::format("not compiled for {} ({})", gpu.arch, compiled.error().message));
  // CDNA3 and CDNA4 keep architected and accumulation registers in one file; .vgpr_count is their sum.
  const KernelResources resources = {.registers_per_lane = compiled->vgprs,
                                     .shared_bytes = compiled->lds_bytes + instance.shared_bytes};
  return {occupancy(gpu, threads, resources),
          fmt::format("{} code: {} registers a lane, {} B of shared memory", gpu.arch, resources.registers_per_lane,
                      resources.shared_bytes)};
}

}  // namespace swizzleperf

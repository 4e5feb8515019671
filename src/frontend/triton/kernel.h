// A Triton kernel of a case: its IR, ready to be evaluated for any program of the launch.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "frontend/clike/occupancy.h"
#include "workload/case.h"
#include "workload/workload.h"

namespace swizzleperf {

namespace triton {
struct Program;
}

class TritonKernel {
 public:
  // Parses `text`, the contents of `file`, and prepares the case's kernel. User error, with the line, for what is no
  // Triton IR, for a kernel that is not in it, and for arguments of the case that are not what the IR takes;
  // unsupported for what cannot be followed.
  static Expected<TritonKernel> read(const Case& the_case, const std::string& text, const std::string& file);
  // Of the IR file of a variant.
  static Expected<TritonKernel> open(const Case& the_case, const std::string& variant);

  const std::string& name() const { return name_; }
  const triton::Program& program() const { return *program_; }

 private:
  std::shared_ptr<const triton::Program> program_;
  std::string name_;
};

// Workgroups resident on a compute unit: as the case states, else by what Triton's compiler said for this architecture,
// else by the wave slots alone, marked as assumed.
OccupancyEstimate triton_occupancy(const CaseInstance& instance, const GpuSpec& gpu);

// The whole workload but its occupancy: an affine fit over the programs as for traced kernels, or every program
// evaluated.
Expected<Workload> triton_workload(const TritonKernel& kernel, const CaseInstance& instance, const GpuSpec& gpu);

// Does a program touch what another one writes, in one launch of this instance?
struct TritonOrder {
  bool dependent = false;
  std::string detail;    // which array, which programs, which line
  bool atomics = false;  // floating-point sums by atomics: the order shows in the last bits
};
Expected<TritonOrder> triton_order(const TritonKernel& kernel, const CaseInstance& instance);

// Do the launches of a rewritten kernel touch, access by access, what the tiles that the map gives them touch in the
// original? All launches up to kComparedLaunches, else the first, the last and so many more, chosen at random.
inline constexpr int64_t kComparedLaunches = 4096;
struct TritonComparison {
  bool equal = true;
  int64_t compared = 0;
  std::string difference;  // which launch, which tile, which access
};
Expected<TritonComparison> compare_accesses(const TritonKernel& original, const TritonKernel& rewritten,
                                            const CaseInstance& instance, const std::vector<int32_t>& tiles,
                                            int64_t wave_lanes);

}  // namespace swizzleperf

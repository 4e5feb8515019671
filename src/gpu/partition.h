// The part of a GPU that runs a kernel: a partition mode of the driver, or fewer compute units than there are (a CU
// mask, units taken by another stream, a virtual GPU).
#pragma once

#include <string>
#include <utility>

#include "gpu/gpu_spec.h"

namespace swizzleperf {

// "mi300x:cpx,cus=32" -> {"mi300x", "cpx,cus=32"}; the second is empty where there is none.
std::pair<std::string, std::string> split_part(const std::string& text);

// `part`: a mode of gpu.partitions (any case), "cus=N" (active compute units of each L2 domain), or both with a comma.
// The L2 of a domain stays as it is; rates of the compute units shrink with their number; LLC and DRAM stay whole, as
// for a partition beside idle ones. User error for a mode that the GPU does not have, a number out of range, anything
// else.
Expected<GpuSpec> take_part(GpuSpec gpu, const std::string& part);

}  // namespace swizzleperf

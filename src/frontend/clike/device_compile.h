// Compiles a kernel for a GPU, for its resource use and as a check of the gate. Nothing is run.
#pragma once

#include "frontend/clike/source.h"
#include "workload/case.h"

namespace swizzleperf {

struct CompiledResources {
  int64_t vgprs = 0;      // vector registers a lane (AMD: architected and accumulation registers together)
  int64_t lds_bytes = 0;  // static shared memory of a workgroup
  int64_t spilled = 0;    // registers or bytes spilled to memory, as the compiler counts them
};

// clang 19 to assembly, HIP or CUDA sources against SwizzlePerf's own device headers (not ROCm's). `arch`: gfx942,
// gfx950, ... Unsupported, with the compiler's message, where these headers lack something.
Expected<CompiledResources> compile_for_amd(const Case& the_case, const KernelInfo& kernel, const std::string& source,
                                            const std::string& arch);

// nvcc to a cubin, HIP sources against SwizzlePerf's own headers of HIP's names; missing where there is no nvcc.
// `arch`: sm_90, ...
Expected<CompiledResources> compile_for_nvidia(const Case& the_case, const KernelInfo& kernel,
                                               const std::string& source, const std::string& arch);

}  // namespace swizzleperf

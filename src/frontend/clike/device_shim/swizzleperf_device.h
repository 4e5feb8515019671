// What a HIP kernel needs to compile for an AMD GPU with clang alone, without ROCm: to read the registers and shared memory it
// takes and to see that a rewritten kernel still compiles. Nothing built with it is ever run.
#pragma once

#include "device/base.h"
#include "../shim/swizzleperf/common.h"
#include "../shim/swizzleperf/vectors.h"
#include "device/index.h"
#include "device/wave.h"
#include "../shim/swizzleperf/wave_ops.h"
#include "device/math.h"
#include "../shim/swizzleperf/half.h"
#include "../shim/swizzleperf/half2.h"
#include "device/atomics.h"
#include "../shim/swizzleperf/bits.h"
#include "../shim/swizzleperf/memory.h"
#include "../shim/swizzleperf/host_api.h"

// What clang makes of `kernel<<<grid, block>>>(...)` in host code, which is checked but not compiled.
inline sp_error __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr) { return hipSuccess; }
extern "C" sp_error hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);

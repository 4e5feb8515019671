// What a HIP or CUDA kernel needs to compile as C++ for the CPU, by topic. Threads of a workgroup are fibers of one system thread.
#pragma once

#include "swizzleperf/base.h"
#include "swizzleperf/common.h"
#include "swizzleperf/vectors.h"
#include "swizzleperf/index.h"
#include "swizzleperf/wave.h"
#include "swizzleperf/wave_ops.h"
#include "swizzleperf/half.h"
#include "swizzleperf/half2.h"
#include "swizzleperf/atomics.h"
#include "swizzleperf/bits.h"
#include "swizzleperf/math.h"
#include "swizzleperf/memory.h"
#include "swizzleperf/ptx.h"
#include "swizzleperf/mfma.h"
#include "swizzleperf/host_api.h"

#include "measure/probe.h"

#include <cstring>

namespace swizzleperf {
namespace {

constexpr const char* kSource = R"(
#if defined(__HIP_DEVICE_COMPILE__) || defined(__HIPCC_RTC__)
// HW_ID and XCC_ID of gfx940 and later; s_getreg takes id | offset << 6 | (size - 1) << 11.
__device__ int unit() { return (__builtin_amdgcn_s_getreg(4 | 0 << 6 | 31 << 11) >> 8) & 0xff; }
__device__ int domain() { return __builtin_amdgcn_s_getreg(20 | 0 << 6 | 3 << 11) & 0xf; }
__device__ long long wall_ns() { return (long long)__builtin_amdgcn_s_memrealtime() * 10; }
__device__ long long cycles() { return (long long)__builtin_readcyclecounter(); }
__device__ unsigned load(const uint4* from) { return __builtin_nontemporal_load(&from->x) + from->w; }
#else
__device__ int unit() { int id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id)); return id; }
__device__ int domain() { return 0; }
__device__ long long wall_ns() { long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ long long cycles() { return clock64(); }
__device__ unsigned load(const uint4* from) {  // past the L1
  const uint4 v = __ldcg(from);
  return v.x + v.w;
}
#endif

// Where and when every workgroup began. Each stays a while, so that the first ones fill the device.
extern "C" __global__ void place(int* units, int* domains, long long* starts, long long stay_ns) {
  if (threadIdx.x != 0) return;
  const long long begin = wall_ns();
  units[blockIdx.x] = unit();
  domains[blockIdx.x] = domain();
  starts[blockIdx.x] = begin;
  while (wall_ns() - begin < stay_ns) {}
}

// The shortest time that an atomic addition to each of some lines takes from this compute unit: it is done where the
// line is at home, near or far.
extern "C" __global__ void sides(unsigned* lines, int* units, int* latencies, int count, int stride) {
  if (threadIdx.x != 0) return;
  units[blockIdx.x] = unit();
  for (int pass = 0; pass < 24; ++pass) {
    for (int i = 0; i < count; ++i) {
      const int line = (i + (int)blockIdx.x * 7) % count;
      const long long begin = cycles();
      if (atomicAdd(lines + (long long)line * stride, 0u) != 0) return;  // never: waits for the answer
      const int took = (int)(cycles() - begin);
      int* best = latencies + (long long)blockIdx.x * count + line;
      if (pass == 0 || took < *best) *best = took;
    }
  }
}

__device__ void meet(unsigned* arrived, unsigned target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < target) {}
  }
  __syncthreads();
}

// The time of reading a buffer several times, for growing buffers. SHARED: every workgroup reads all of it, else its
// own part. One workgroup a compute unit, all resident.
extern "C" __global__ void cliff(const uint4* data, unsigned* arrived, long long* took_ns, int steps,
                                 long long step_vectors, int passes) {
  unsigned sum = 0, target = 0;
  for (int step = 1; step <= steps; ++step) {
    const long long all = step_vectors * step, part = all / gridDim.x;
    long long begin = 0;
    for (int pass = 0; pass <= passes; ++pass) {  // the first is for the cache
      meet(arrived, target += gridDim.x);
      if (pass == 1) begin = wall_ns();
#ifdef SHARED
#pragma unroll 4
      for (long long i = threadIdx.x; i < all; i += blockDim.x) {
        const long long at = i + part * blockIdx.x;
        sum += load(data + (at < all ? at : at - all));
      }
#else
#pragma unroll 4
      for (long long i = threadIdx.x; i < part; i += blockDim.x) sum += load(data + part * blockIdx.x + i);
#endif
    }
    meet(arrived, target += gridDim.x);
    if (blockIdx.x == 0 && threadIdx.x == 0) took_ns[step - 1] = wall_ns() - begin;
  }
  if (sum == 0x12345678u) took_ns[0] = 0;  // so that nothing is left out
}
)";

constexpr int kSideStride = 2080;  // words: lines of different pages and channels

template <class T>
runner::JobArgument value(T number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return {.bytes = bytes};
}

runner::JobArgument buffer(DType dtype, int64_t elements, bool output) {
  return {.buffer = true,
          .dtype = dtype,
          .elements = elements,
          .init = {.kind = ContentsRule::Kind::kZeros},
          .output = output};
}

runner::Job job_of(runner::Api api, const char* kernel, int64_t workgroups, int64_t threads) {
  runner::Job job;
  job.api = api;
  job.task = runner::Task::kRead;
  job.file = "probe.cu";
  job.kernel = kernel;
  job.grid = {workgroups, 1, 1};
  job.block = {threads, 1, 1};
  job.variants = {{kernel, kSource}};
  return job;
}

}  // namespace

std::string probe_source() {
  return kSource;
}

std::vector<ProbeJob> probe_jobs(runner::Api api, int compute_units) {
  constexpr int64_t kStayNs = 200'000;
  const int64_t units = compute_units, workgroups = kPlaceWaves * units;
  runner::Job place = job_of(api, "place", workgroups, 1024);
  place.arguments = {buffer(DType::kI32, workgroups, true), buffer(DType::kI32, workgroups, true),
                     buffer(DType::kI64, workgroups, true), value(kStayNs)};
  runner::Job sides = job_of(api, "sides", units, 1024);
  sides.arguments = {buffer(DType::kU32, int64_t{kSideLines} * kSideStride, false), buffer(DType::kI32, units, true),
                     buffer(DType::kI32, units * kSideLines, true), value(int32_t{kSideLines}),
                     value(int32_t{kSideStride})};
  runner::Job cliff = job_of(api, "cliff", units, 1024);
  cliff.arguments = {buffer(DType::kU32, kCliffSteps * kCliffStepBytes / 4, false),
                     buffer(DType::kU32, 1, true),
                     buffer(DType::kI64, kCliffSteps, true),
                     value(int32_t{kCliffSteps}),
                     value(kCliffStepBytes / 16),
                     value(int32_t{kCliffPasses})};
  cliff.variants.push_back({"cliff shared", std::string("#define SHARED\n") + kSource});
  return {{"place", place}, {"sides", sides}, {"cliff", cliff}};
}

}  // namespace swizzleperf

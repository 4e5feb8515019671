// A kernel that misbehaves ends in one message that says what, where and in which thread.
#include "kernel_fixture.h"

namespace swizzleperf {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Misbehaves : public KernelTest {
 protected:
  // The error of a kernel on float arrays `a` and `b` of 64 elements, one workgroup of 32 threads unless said
  // otherwise.
  Error error_of(const std::string& source, int64_t grid = 1, int64_t block = 32, int64_t shared = 0,
                 const TraceLimits& limits = {}) {
    const auto result =
        run(make_case(source, grid, block, {{"a", "fp32", 64}, {"b", "fp32", 64}}, "k", shared), 32, limits);
    EXPECT_FALSE(result);
    return result ? Error{} : result.error();
  }
};

TEST_F(Misbehaves, OutOfBoundsNamesArrayIndexThreadAndLine) {
  const Error error = error_of(
      "__global__ void k(float* a, float* b) {\n"
      "  if (threadIdx.x < 10)\n"
      "    a[threadIdx.x + 55 + blockIdx.x] = 1;\n}\n",
      2);
  EXPECT_THAT(error.message, AllOf(HasSubstr("out of bounds"), HasSubstr("write of 4 bytes at byte 256 of 'a'"),
                                   HasSubstr("256 bytes"), HasSubstr("workgroup 0, thread 9")));
  EXPECT_EQ(error.place.line, 3);
  EXPECT_EQ(error.place.file, (folder_.path() / "k.cu").string());
  EXPECT_EQ(error.blame, Blame::kUser);
}

TEST_F(Misbehaves, AFarIndexStillNamesTheArray) {
  const Error error = error_of("__global__ void k(float* a, float* b) {\n  b[0] = a[2000000000];\n}\n");
  EXPECT_THAT(error.message, HasSubstr("read of 4 bytes at byte 8000000000 of 'a'"));
  EXPECT_EQ(error.place.line, 2);
}

TEST_F(Misbehaves, AnIndexBelowTheArray) {
  const Error error = error_of("__global__ void k(float* a, float* b) {\n  b[(int)threadIdx.x - 1] = 0;\n}\n");
  EXPECT_THAT(error.message, HasSubstr("at byte -4 of 'b'"));
}

TEST_F(Misbehaves, AWildPointer) {
  const Error error = error_of("__global__ void k(float* a, float* b) {\n  *(float*)0x123456789a0 = a[0];\n}\n");
  EXPECT_THAT(error.message, HasSubstr("out of bounds"));
  EXPECT_EQ(error.place.line, 2);
}

TEST_F(Misbehaves, ANullPointer) {
  const Error error =
      error_of("__global__ void k(float* a, float* b) {\n  float* c = a[0] == 0 ? nullptr : b;\n  c[1] = 2;\n}\n");
  EXPECT_THAT(error.message, HasSubstr("null pointer write"));
  EXPECT_EQ(error.place.line, 3);
}

TEST_F(Misbehaves, AHelperNamesItsLineAndItsCaller) {
  const Error error = error_of(
      "__device__ __forceinline__ void put(float* p, int i) {\n  p[i] = 1;\n}\n"
      "__global__ void k(float* a, float* b) {\n  put(a, 3);\n  put(b, 64);\n}\n");
  EXPECT_EQ(error.place.line, 2);
  EXPECT_THAT(error.message, HasSubstr("called from line 6"));
}

TEST_F(Misbehaves, StaticSharedMemoryByOneElement) {
  const Error error = error_of(
      "__global__ void k(float* a, float* b) {\n"
      "  __shared__ float tile[32];\n  __shared__ float other[32];\n"
      "  tile[threadIdx.x] = a[threadIdx.x];\n  other[threadIdx.x] = 0;\n  __syncthreads();\n"
      "  b[threadIdx.x] = tile[threadIdx.x + 1] + other[threadIdx.x];\n}\n");
  EXPECT_THAT(error.message, AllOf(HasSubstr("4 bytes at byte 128 of the shared array 'tile', which has 128 bytes"),
                                   HasSubstr("thread 31")));
  EXPECT_EQ(error.place.line, 7);
}

TEST_F(Misbehaves, DynamicSharedMemory) {
  const std::string source =
      "extern __shared__ float tile[];\n"
      "__global__ void k(float* a, float* b) {\n  tile[threadIdx.x] = a[threadIdx.x];\n  b[0] = tile[0];\n}\n";
  const Error error = error_of(source, 1, 32, 124);
  EXPECT_THAT(error.message, HasSubstr("byte 124 of the shared array 'tile', which has 124 bytes"));
  EXPECT_EQ(error.place.line, 3);
}

TEST_F(Misbehaves, TheLocalMemoryOfAnotherThread) {
  const Error error = error_of(
      "__global__ void k(float* a, float* b) {\n"
      "  __shared__ float* pointers[32];\n  volatile float own = a[0];\n"
      "  pointers[threadIdx.x] = (float*)&own;\n  __syncthreads();\n"
      "  b[threadIdx.x] = *pointers[31 - threadIdx.x];\n}\n");
  EXPECT_THAT(error.message, HasSubstr("local memory of another thread"));
  EXPECT_EQ(error.place.line, 6);
}

TEST_F(Misbehaves, AStackOverrun) {
  const Error error = error_of(
      "__device__ __noinline__ float deep(volatile float* p, int n) {\n"
      "  volatile float local[1000];\n  local[n % 1000] = *p;\n"
      "  return n == 0 ? local[0] : deep(local, n - 1) + local[n % 1000];\n}\n"
      "__global__ void k(float* a, float* b) {\n  b[0] = deep(a, 1000);\n}\n");
  EXPECT_THAT(error.message, HasSubstr("overran its stack"));
}

TEST_F(Misbehaves, ADivisionByZero) {
  const Error error = error_of("__global__ void k(float* a, float* b) {\n  b[0] = 7 / (int)a[0];\n}\n");
  EXPECT_THAT(error.message, AllOf(HasSubstr("division by zero"), HasSubstr("workgroup 0, thread 0")));
  EXPECT_EQ(error.place.line, 2);
}

TEST_F(Misbehaves, AnEndlessLoopNamesTheThreadAndTheLine) {
  const Error error = error_of(
      "__global__ void k(float* a, float* b) {\n"
      "  unsigned x = threadIdx.x;\n"
      "  while (blockIdx.x == 1 && x != 77 * 2) x = x * 2 + 3 | 1;\n"
      "  b[threadIdx.x] = x;\n}\n",
      2, 32, 0, {.workgroup_cpu = std::chrono::milliseconds(1500)});
  EXPECT_THAT(error.message, AllOf(HasSubstr("has not ended"), HasSubstr("workgroup 1, thread 0")));
  EXPECT_EQ(error.place.line, 3);
}

// What another process takes, and what other workgroups take, is not the workgroup's time.
TEST_F(Misbehaves, OnlyAWorkgroupsOwnProcessorTimeCounts) {
  const auto result = run(make_case("#include <time.h>\n"
                                    "__global__ void k(float* a) {\n"
                                    "  timespec pause = {0, 600'000'000}, now;\n"
                                    "  if (blockIdx.x == 0) nanosleep(&pause, nullptr);\n"
                                    "  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);\n"
                                    "  const double end = now.tv_sec + now.tv_nsec * 1e-9 + 0.1;\n"
                                    "  while (now.tv_sec + now.tv_nsec * 1e-9 < end)\n"
                                    "    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);\n"
                                    "  a[blockIdx.x] = 1;\n}\n",
                                    8, 1, {{"a", "fp32", 8}}),
                          32, {.workgroup_cpu = std::chrono::milliseconds(400)});
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_THAT(elements<float>(result->outputs[0]), testing::Each(1.0F));
}

TEST_F(Misbehaves, ABarrierDeadlockNamesBothLines) {
  const Error error = error_of(
      "__global__ void k(float* a, float* b) {\n"
      "  if (threadIdx.x < 16) {\n    __syncthreads();\n    a[threadIdx.x] = 1;\n"
      "  } else {\n    __syncthreads();\n    b[threadIdx.x] = 1;\n  }\n}\n");
  EXPECT_THAT(error.message, AllOf(HasSubstr("barrier deadlock"), HasSubstr("the other is at line 6")));
  EXPECT_EQ(error.place.line, 3);
}

TEST_F(Misbehaves, AMaskThatNamesALaneThatWaitsElsewhere) {
  const Error error = error_of(
      "__global__ void k(float* a, float* b) {\n"
      "  if (threadIdx.x < 16) {\n    b[threadIdx.x] = __shfl_sync(0xffffffff, a[threadIdx.x], 0);\n  }\n"
      "  __syncthreads();\n}\n");
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("wave deadlock"), HasSubstr("lane 16"), HasSubstr("the other is at line 5")));
  EXPECT_EQ(error.place.line, 3);
}

TEST_F(Misbehaves, ASharedFlagThatNobodySets) {
  const Error error = error_of(
      "__global__ void k(float* a, float* b) {\n"
      "  __shared__ volatile int flag;\n  if (threadIdx.x == 0) flag = 0;\n  __syncthreads();\n"
      "  while (flag == 0) {}\n  b[0] = 1;\n}\n");
  EXPECT_THAT(error.message, HasSubstr("endless loop"));
  EXPECT_EQ(error.place.line, 5);
}

TEST_F(Misbehaves, AFailedAssertionAndATrap) {
  const Error assertion = error_of("__global__ void k(float* a, float* b) {\n  assert(a[3] > 0);\n}\n");
  EXPECT_THAT(assertion.message, AllOf(HasSubstr("assertion `a[3] > 0` failed"), HasSubstr("thread 0")));
  EXPECT_EQ(assertion.place.line, 2);
  const Error trap = error_of("__global__ void k(float* a, float* b) {\n  if (a[0] == 0) __trap();\n}\n");
  EXPECT_THAT(trap.message, HasSubstr("traps"));
}

TEST_F(Misbehaves, ABlockIndexInitialisedFromItself) {
  for (const char* type : {"dim3", "uint3"}) {
    const Error error = error_of(fmt::format(
        "__global__ void k(float* a, float* b) {{\n  {} blockIdx = blockIdx;\n  b[blockIdx.x] = 1;\n}}\n", type));
    EXPECT_THAT(error.message, HasSubstr("'blockIdx' is uninitialized"));
    EXPECT_THAT(error.advice, HasSubstr("::blockIdx"));
    EXPECT_EQ(error.place.line, 2);
  }
}

TEST_F(Misbehaves, InlineAssemblyIsUnsupported) {
  for (const char* text : {"wgmma.fence.sync.aligned;", "nop", "s_waitcnt vmcnt(0)"}) {
    const Error error = error_of(
        fmt::format("__global__ void k(float* a, float* b) {{\n  asm volatile(\"{}\");\n  b[0] = 1;\n}}\n", text));
    EXPECT_EQ(error.blame, Blame::kUnsupported) << text;
    EXPECT_THAT(error.message, HasSubstr("inline assembly"));
    EXPECT_EQ(error.place.line, 2);
    EXPECT_EQ(error.place.file, (folder_.path() / "k.cu").string());
  }
}

TEST_F(Misbehaves, AnEmptyAssemblyStatementIsNone) {
  const auto result =
      run(make_case("__global__ void k(float* a) {\n  asm volatile(\"\" ::: \"memory\");\n  a[0] = 1;\n}\n", 1, 1,
                    {{"a", "fp32", 1}}));
  EXPECT_TRUE(result) << describe(result.error());
}

TEST_F(Misbehaves, WhatTheShimLacksIsUnsupported) {
  for (const char* statement : {"a[0] = __nv_something(1);", "tex1Dfetch<float>(0, 1);", "cudaGraphLaunch(0, 0);"}) {
    const Error error = error_of(fmt::format("__global__ void k(float* a, float* b) {{\n  {}\n}}\n", statement));
    EXPECT_EQ(error.blame, Blame::kUnsupported) << statement;
    EXPECT_EQ(error.place.line, 2);
  }
  const Error header = error_of("#include <cuda/atomic>\n__global__ void k(float* a, float* b) {}\n");
  EXPECT_EQ(header.blame, Blame::kUnsupported);
  EXPECT_EQ(header.place.line, 1);
}

TEST_F(Misbehaves, ACallOfTheRuntimeFromAKernelIsUnsupported) {
  const Error call = error_of("__global__ void k(float* a, float* b) {\n  float* p;\n  cudaMalloc(&p, 4);\n}\n");
  EXPECT_EQ(call.blame, Blame::kUnsupported);
  EXPECT_EQ(call.place.line, 3);
  const Error launch = error_of(
      "__global__ void child(float* a) {\n  a[0] = 1;\n}\n"
      "__global__ void k(float* a, float* b) {\n  child<<<1, 1>>>(a);\n}\n");
  EXPECT_EQ(launch.blame, Blame::kUnsupported);
  EXPECT_THAT(launch.message, HasSubstr("launches a kernel"));
  EXPECT_EQ(launch.place.line, 5);
}

TEST_F(Misbehaves, ABarrierOfTheGridIsUnsupported) {
  const Error error = error_of(
      "#include <cooperative_groups.h>\n__global__ void k(float* a, float* b) {\n"
      "  cooperative_groups::this_grid().sync();\n}\n");
  EXPECT_EQ(error.blame, Blame::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("barrier of the whole grid"));
  EXPECT_EQ(error.place.line, 3);
}

TEST_F(Misbehaves, ALargeVariableOfTheFileIsUnsupportedInATrace) {
  const auto the_case =
      make_case("__device__ float sums[64];\n__global__ void k(float* a) {\n  sums[threadIdx.x] = a[threadIdx.x];\n}\n",
                1, 32, {{"a", "fp32", 32}});
  const auto result = trace(the_case);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().blame, Blame::kUnsupported);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("'sums'"), HasSubstr("256 bytes")));
  EXPECT_EQ(result.error().place.line, 3);
}

TEST_F(Misbehaves, ATableThatHostCodeWouldFillIsUnsupported) {
  const Error error = error_of(
      "__constant__ float weights[4];\n__device__ int counter;\n"
      "__global__ void k(float* a, float* b) {\n  b[0] = counter;\n  b[threadIdx.x] = weights[threadIdx.x % 4];\n}\n");
  EXPECT_EQ(error.blame, Blame::kUnsupported);
  EXPECT_THAT(error.message, AllOf(HasSubstr("'weights'"), HasSubstr("initial value")));
  EXPECT_EQ(error.place.line, 5);
}

TEST_F(Misbehaves, AVariableOfTheFileHasBounds) {
  const Error error = error_of(
      "__constant__ float weights[4] = {1, 2, 3, 4};\n"
      "__global__ void k(float* a, float* b) {\n  b[threadIdx.x] = weights[threadIdx.x];\n}\n");
  EXPECT_THAT(error.message, HasSubstr("out of bounds"));
  EXPECT_EQ(error.place.line, 3);
}

}  // namespace
}  // namespace swizzleperf

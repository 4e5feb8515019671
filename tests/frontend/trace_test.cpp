// What a traced workgroup touches: which bytes, by which instruction, in which phase.
#include <algorithm>

#include "gpu/gpu_spec.h"
#include "kernel_fixture.h"
#include "model/model.h"

namespace swizzleperf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One access of a footprint with its segments at their final place.
struct Seen {
  AccessKind kind;
  std::vector<Segment> segments;
};

class Trace : public KernelTest {
 protected:
  // Accesses to an array in order.
  std::vector<Seen> seen(const Case& the_case, int16_t array, int64_t lanes = 32) {
    const auto tile = trace(the_case, 0, lanes);
    EXPECT_TRUE(tile) << describe(tile.error());
    std::vector<Seen> result;
    if (!tile) return result;
    phases_ = tile->footprint.phase_begin.size() - 1;
    for (const Access& access : tile->footprint.accesses) {
      if (access.array != array) continue;
      Seen one{access.kind, tile->footprint.patterns.at(static_cast<size_t>(access.pattern)).segments};
      for (Segment& segment : one.segments) segment.offset += access.origin;
      result.push_back(one);
    }
    return result;
  }
  size_t phases_ = 0;
};

int64_t bytes(const std::vector<Seen>& seen, AccessKind kind) {
  int64_t sum = 0;
  for (const Seen& one : seen) {
    if (one.kind != kind) continue;
    for (const Segment& segment : one.segments) sum += int64_t{segment.bytes} * segment.repeat;
  }
  return sum;
}

TEST_F(Trace, AReadBeforeAWriteIsKept) {
  const auto accesses =
      seen(make_case("__global__ void k(float* a, float* c) {\n  c[threadIdx.x] += a[threadIdx.x];\n}\n", 1, 32,
                     {{"a", "fp32", 32}, {"c", "fp32", 32}}),
           1);
  EXPECT_EQ(bytes(accesses, AccessKind::kLoad), 128);
  EXPECT_EQ(bytes(accesses, AccessKind::kStore), 128);
}

TEST_F(Trace, AVectorIsOneAccess) {
  for (const char* type : {"float4", "int4", "double2", "uint4"}) {
    const auto accesses =
        seen(make_case(fmt::format("__global__ void k({0}* a, {0}* c) {{\n  const {0} v = a[threadIdx.x];\n"
                                   "  c[threadIdx.x] = v;\n}}\n",
                                   type),
                       1, 32, {{"a", "fp32", 128}, {"c", "fp32", 128}}),
             0);
    ASSERT_EQ(accesses.size(), 1u) << type;
    EXPECT_THAT(accesses[0].segments, ElementsAre(Segment{0, 512, 1}));
  }
}

TEST_F(Trace, MembersOfAVectorAreReadTogether) {
  const auto accesses =
      seen(make_case("__global__ void k(const float4* a, float* c) {\n  const float4 v = a[threadIdx.x];\n"
                     "  c[threadIdx.x] = v.x * v.y + v.z - v.w;\n}\n",
                     1, 32, {{"a", "fp32", 128}, {"c", "fp32", 32}}),
           0);
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_THAT(accesses[0].segments, ElementsAre(Segment{0, 512, 1}));
}

TEST_F(Trace, AnAlignedStructIsOneAccess) {
  const auto the_case = make_case(
      "#include <cuda_fp16.h>\ntemplate <class T, int N> struct alignas(sizeof(T) * N) Pack { T v[N]; };\n"
      "__global__ void k(const half* a, half* c) {\n"
      "  const Pack<half, 8> x = reinterpret_cast<const Pack<half, 8>*>(a)[threadIdx.x];\n  Pack<half, 8> y;\n"
      "#pragma unroll\n  for (int j = 0; j < 8; ++j) y.v[j] = x.v[j] + x.v[7 - j];\n"
      "  reinterpret_cast<Pack<half, 8>*>(c)[threadIdx.x] = y;\n}\n",
      1, 32, {{"a", "fp16", 256}, {"c", "fp16", 256}});
  for (const int16_t array : {0, 1}) {
    const auto accesses = seen(the_case, array);
    ASSERT_EQ(accesses.size(), 1u);
    EXPECT_THAT(accesses[0].segments, ElementsAre(Segment{0, 512, 1}));
  }
}

TEST_F(Trace, NeighboursOfUnknownAlignmentStayApart) {
  const auto tile =
      trace(make_case("__global__ void k(float* c) {\n  float* own = c + 2 * threadIdx.x;\n"
                      "  own[0] = 1;\n  own[1] = 2;\n}\n",
                      1, 32, {{"c", "fp32", 64}}));
  ASSERT_TRUE(tile) << describe(tile.error());
  EXPECT_EQ(tile->instructions, 2u);
}

TEST_F(Trace, ACopyOfVectorsHasTheHitRateOfAStream) {
  const auto the_case = make_case(
      "__global__ void k(const float4* a, float4* c) {\n  const int i = blockIdx.x * 64 + threadIdx.x;\n  c[i] = "
      "a[i];\n}\n",
      64, 64, {{"a", "fp32", 16384}, {"c", "fp32", 16384}});
  const auto info = analyse_source(the_case).value();
  const auto kernel = TracedKernel::compile(the_case, info, info.source).value();
  auto workload = trace_workload(kernel, the_case.instance("main").value(), 64);
  ASSERT_TRUE(workload) << describe(workload.error());
  GpuSpec gpu = load_gpu("mi300x").value();
  gpu.code_requests = 0;  // of which a launch as small as this would show little else
  const auto model = Model::create(*workload, gpu);
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_NEAR(model->ceiling(), 1.0 / 3, 1e-9);  // a load sends a request a line, a store two, of which one hits
}

TEST_F(Trace, AnUnrolledLoopIsOneSite) {
  const auto source = [](const char* pragma) {
    return fmt::format(
        "__global__ void k(const float* a, float* c) {{\n  float sum = 0;\n{}"
        "  for (int i = 0; i < 8; ++i) sum += a[i * 32 + threadIdx.x];\n  c[threadIdx.x] = sum;\n}}\n",
        pragma);
  };
  const std::vector<TestBuffer> buffers = {{"a", "fp32", 256}, {"c", "fp32", 32}};
  const auto expected = trace(make_case(source(""), 1, 32, buffers));
  const auto found = trace(make_case(source("#pragma unroll\n"), 1, 32, buffers));
  ASSERT_TRUE(expected && found);
  EXPECT_EQ(found->instructions, 9u);
  EXPECT_EQ(expected->instructions, 9u);
  EXPECT_EQ(found->footprint.phase_begin, expected->footprint.phase_begin);
}

TEST_F(Trace, CopiesByTheLibraryCount) {
  const auto accesses = seen(make_case("struct S { float v[12]; };\n__global__ void k(const S* a, S* c) {\n"
                                       "  memcpy(&c[threadIdx.x], &a[threadIdx.x], sizeof(S));\n}\n",
                                       1, 4, {{"a", "fp32", 48}, {"c", "fp32", 48}}),
                             0);
  EXPECT_EQ(bytes(accesses, AccessKind::kLoad), 4 * 48);
}

TEST_F(Trace, AnAtomicCountsOnce) {
  const auto accesses = seen(
      make_case("__global__ void k(float* a) {\n  atomicAdd(&a[threadIdx.x], 1);\n}\n", 1, 32, {{"a", "fp32", 32}}), 0);
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].kind, AccessKind::kAtomic);
  EXPECT_EQ(bytes(accesses, AccessKind::kAtomic), 128);
}

TEST_F(Trace, AtomicsAtTwoPlacesAreTwoInstructions) {
  const auto tile =
      trace(make_case("__global__ void k(int* a) {\n  atomicAdd(&a[threadIdx.x], 1);\n"
                      "  atomicAdd(&a[threadIdx.x + 32], 1);\n}\n",
                      1, 32, {{"a", "int32", 64}}));
  ASSERT_TRUE(tile) << describe(tile.error());
  EXPECT_EQ(tile->instructions, 2u);
}

TEST_F(Trace, DynamicSharedMemoryIsNoTraffic) {
  const auto the_case = make_case(
      "__global__ void k(const float* a, float* c) {\n  extern __shared__ float tile[];\n"
      "  tile[threadIdx.x] = a[threadIdx.x];\n  __syncthreads();\n  c[threadIdx.x] = tile[31 - threadIdx.x];\n}\n",
      1, 32, {{"a", "fp32", 32, "\"iota\""}, {"c", "fp32", 32}}, "k", 128);
  const auto accesses = seen(the_case, 1);
  EXPECT_EQ(bytes(accesses, AccessKind::kStore), 128);
  EXPECT_EQ(phases_, 2u);
  const auto result = run(the_case);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(elements<float>(result->outputs.at(1)).at(0), 31);
}

TEST_F(Trace, DynamicSharedArraysOfDifferentNamesAreOneMemory) {
  const auto result =
      run(make_case("extern __shared__ float floats[];\nextern __shared__ int ints[];\n"
                    "__global__ void k(int* c) {\n  floats[0] = 1.0f;\n  c[0] = ints[0];\n}\n",
                    1, 1, {{"c", "int32", 1}}, "k", 16));
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(elements<int>(result->outputs.at(0)).at(0), 0x3f800000);
}

TEST_F(Trace, AKernelMayDeclareABlockIndexOfItsOwn) {
  const auto result =
      run(make_case("__global__ void k(int* c) {\n"
                    "  const uint3 blockIdx = {3 - ::blockIdx.x, 0, 0};\n  c[blockIdx.x] = ::blockIdx.x;\n}\n",
                    4, 1, {{"c", "int32", 4}}));
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_THAT(elements<int>(result->outputs.at(0)), ElementsAre(3, 2, 1, 0));
}

TEST_F(Trace, BackgroundCopiesReadSixteenBytesAThread) {
  const auto accesses = seen(make_case("#include <cuda_pipeline.h>\n__global__ void k(const float* a, float* c) {\n"
                                       "  __shared__ float4 tile[32];\n"
                                       "  __pipeline_memcpy_async(&tile[threadIdx.x], a + 4 * threadIdx.x, 16);\n"
                                       "  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  __syncthreads();\n"
                                       "  c[threadIdx.x] = tile[31 - threadIdx.x].x;\n}\n",
                                       1, 32, {{"a", "fp32", 128}, {"c", "fp32", 32}}),
                             0);
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_THAT(accesses[0].segments, ElementsAre(Segment{0, 512, 1}));
}

TEST_F(Trace, ThreadsMayEndBeforeABarrier) {
  const auto result =
      run(make_case("__global__ void k(int* c) {\n  if (threadIdx.x >= 5) return;\n  __syncthreads();\n"
                    "  c[threadIdx.x] = __syncthreads_count(threadIdx.x > 1);\n}\n",
                    1, 32, {{"c", "int32", 5}}));
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_THAT(elements<int>(result->outputs.at(0)), testing::Each(3));
}

TEST_F(Trace, SmallTablesOfTheFileAreNoTraffic) {
  const auto tile =
      trace(make_case("__constant__ float w[4] = {1, 2, 3, 4};\n__global__ void k(float* c) {\n"
                      "  c[threadIdx.x] = w[threadIdx.x % 4];\n}\n",
                      1, 32, {{"c", "fp32", 32}}));
  ASSERT_TRUE(tile) << describe(tile.error());
  EXPECT_EQ(tile->instructions, 1u);
}

}  // namespace
}  // namespace swizzleperf

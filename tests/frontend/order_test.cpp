// Does the order of workgroups show in the result? Kernels in which it does must be found, and only those.
#include "kernel_fixture.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;

class Order : public KernelTest {
 protected:
  FullRun grid_run(const std::string& source, int64_t grid, int64_t block, const std::vector<TestBuffer>& buffers) {
    const auto result = run(make_case(source, grid, block, buffers));
    EXPECT_TRUE(result) << describe(result.error());
    return result ? *result : FullRun{};
  }
};

TEST_F(Order, WorkgroupsThatTouchTheirOwnAreIndependent) {
  const FullRun result = grid_run("__global__ void k(float* a) {\n  a[blockIdx.x * 32 + threadIdx.x] += 1;\n}\n", 4, 32,
                                  {{"a", "fp32", 128}});
  EXPECT_FALSE(result.order_dependent);
  EXPECT_FALSE(result.atomics);
}

TEST_F(Order, AHistogramByAtomicsIsIndependent) {
  const FullRun result = grid_run(
      "__global__ void k(const int* a, unsigned* bins) {\n"
      "  atomicAdd(&bins[a[blockIdx.x * 32 + threadIdx.x] & 7], 1);\n}\n",
      4, 32, {{"a", "int32", 128, "\"iota\""}, {"bins", "uint32", 8}});
  EXPECT_FALSE(result.order_dependent) << result.order_dependence;
  EXPECT_FALSE(result.atomics);  // whole numbers: no rounding
  EXPECT_THAT(elements<unsigned>(result.outputs.at(1)), testing::Each(16u));
}

TEST_F(Order, FloatingSumsNeedATolerance) {
  const FullRun result =
      grid_run("__global__ void k(float* sum) {\n  atomicAdd(sum, 1);\n}\n", 3, 32, {{"sum", "fp32", 1}});
  EXPECT_FALSE(result.order_dependent) << result.order_dependence;
  EXPECT_TRUE(result.atomics);
  EXPECT_EQ(elements<float>(result.outputs.at(0)).at(0), 96);
}

TEST_F(Order, AnAtomicInAHelperWhoseResultNobodyTakesIsIndependent) {
  const FullRun result = grid_run(
      "template <class T> __device__ T add(T* p, T v) { return atomicAdd(p, v); }\n"
      "__global__ void k(int* sum) {\n  add(sum, 1);\n  const auto unused = add(sum, 2);\n}\n",
      3, 32, {{"sum", "int32", 1}});
  EXPECT_FALSE(result.order_dependent) << result.order_dependence;
}

TEST_F(Order, ATicketIsDependent) {
  const FullRun result = grid_run(
      "__global__ void k(unsigned* next, unsigned* out) {\n"
      "  const auto ticket = atomicAdd(next, 1u);\n"
      "  out[ticket] = blockIdx.x;\n}\n",
      4, 1, {{"next", "uint32", 1}, {"out", "uint32", 4}});
  EXPECT_TRUE(result.order_dependent);
  EXPECT_THAT(result.order_dependence, HasSubstr("line 2"));
  EXPECT_THAT(result.order_dependence, HasSubstr("'next'"));
}

TEST_F(Order, AResultInACondition) {
  const FullRun result = grid_run(
      "__global__ void k(unsigned* done, float* out) {\n"
      "  if (atomicInc(done, gridDim.x - 1) == gridDim.x - 1) out[0] = 1;\n}\n",
      4, 1, {{"done", "uint32", 1}, {"out", "fp32", 1}});
  EXPECT_TRUE(result.order_dependent);
}

TEST_F(Order, ACounterInTheSourceCounts) {
  const FullRun result = grid_run(
      "__device__ unsigned next;\n__global__ void k(unsigned* out) {\n"
      "  out[blockIdx.x] = atomicAdd(&next, 1u);\n}\n",
      4, 1, {{"out", "uint32", 4}});
  EXPECT_TRUE(result.order_dependent);
  EXPECT_THAT(result.order_dependence, HasSubstr("'next'"));
}

TEST_F(Order, ExchangeAndCompareAndSwapAreDependent) {
  EXPECT_TRUE(grid_run("__global__ void k(int* a) {\n  atomicExch(a, (int)blockIdx.x);\n}\n", 3, 1, {{"a", "int32", 1}})
                  .order_dependent);
  EXPECT_TRUE(
      grid_run("__global__ void k(int* a) {\n  atomicCAS(a, 0, 1 + (int)blockIdx.x);\n}\n", 3, 1, {{"a", "int32", 1}})
          .order_dependent);
}

TEST_F(Order, DifferentUpdatesOfOneLocationDoNotCommute) {
  const char* kSource =
      "__global__ void k(int* a) {\n"
      "  if (blockIdx.x % 2) atomicAdd(a, 1);\n  else atomicMax(a, 2);\n}\n";
  EXPECT_TRUE(grid_run(kSource, 3, 1, {{"a", "int32", 1}}).order_dependent);
}

TEST_F(Order, AddAndSubtractCommute) {
  const char* kSource =
      "__global__ void k(int* a) {\n"
      "  if (blockIdx.x % 2) atomicAdd(a, 1);\n  else atomicSub(a, 2);\n}\n";
  EXPECT_FALSE(grid_run(kSource, 3, 1, {{"a", "int32", 1}}).order_dependent);
}

TEST_F(Order, AFlagThatAllSetAlikeIsIndependent) {
  const char* kSource = "__global__ void k(int* found, float* a) {\n  {}\n  a[blockIdx.x] = 1;\n}\n";
  const auto with = [&](const char* statement) {
    std::string source = kSource;
    return source.replace(source.find("{}"), 2, statement);
  };
  const std::vector<TestBuffer> buffers = {{"found", "int32", 1}, {"a", "fp32", 3}};
  EXPECT_FALSE(grid_run(with("found[0] = 1;"), 3, 32, buffers).order_dependent);
  EXPECT_TRUE(grid_run(with("found[0] = blockIdx.x;"), 3, 32, buffers).order_dependent);
  EXPECT_TRUE(grid_run(with("found[0] = 1; atomicAdd(found, 0);"), 3, 32, buffers).order_dependent);
  EXPECT_TRUE(grid_run(with("if (found[0] == 0) found[0] = 1;"), 3, 32, buffers).order_dependent);
  // The last write of the last workgroup shows.
  EXPECT_TRUE(grid_run("__global__ void k(int* found) {\n  found[0] = blockIdx.x;\n}\n", 2, 1, {{"found", "int32", 1}})
                  .order_dependent);
}

TEST_F(Order, APlainReadOfASumIsDependent) {
  const FullRun result =
      grid_run("__global__ void k(int* a, int* out) {\n  atomicAdd(a, 1);\n  out[blockIdx.x] = *(volatile int*)a;\n}\n",
               3, 1, {{"a", "int32", 1}, {"out", "int32", 3}});
  EXPECT_TRUE(result.order_dependent);
}

TEST_F(Order, AStencilInPlaceIsDependent) {
  const FullRun result = grid_run(
      "__global__ void k(float* a) {\n  const int i = blockIdx.x * 32 + threadIdx.x;\n"
      "  a[i] = 0.5f * (a[i] + a[i + 1]);\n}\n",
      3, 32, {{"a", "fp32", 97}});
  EXPECT_TRUE(result.order_dependent);
  EXPECT_THAT(result.order_dependence, HasSubstr("line 3"));
}

TEST_F(Order, PartialSumsOfStreamKAreDependentWhereTheyMeet) {
  // Workgroups of a tile leave partial sums and a flag; the last one of the tile adds them up.
  const FullRun result = grid_run(
      "__global__ void k(float* partial, unsigned* arrived, float* out) {\n"
      "  const int tile = blockIdx.x / 2;\n"
      "  partial[blockIdx.x] = blockIdx.x;\n"
      "  __threadfence();\n"
      "  if (atomicAdd(&arrived[tile], 1u) == 1) out[tile] = partial[2 * tile] + partial[2 * tile + 1];\n}\n",
      4, 1, {{"partial", "fp32", 4}, {"arrived", "uint32", 2}, {"out", "fp32", 2}});
  EXPECT_TRUE(result.order_dependent);
  EXPECT_THAT(elements<float>(result.outputs.at(2)), testing::ElementsAre(1.0f, 5.0f));
}

constexpr const char* kLookBack =
    "__global__ void k(volatile int* flag, volatile int* sum, const int* a, int* out) {\n"
    "  const int w = blockIdx.x;\n"
    "  int before = 0;\n"
    "  if (w > 0) {\n"
    "    while (flag[w - 1] == 0) {}\n"
    "    before = sum[w - 1];\n"
    "  }\n"
    "  sum[w] = before + a[w];\n"
    "  __threadfence();\n"
    "  flag[w] = 1;\n"
    "  out[w] = before + a[w];\n}\n";
const std::vector<TestBuffer> kLookBackBuffers = {
    {"flag", "int32", 5}, {"sum", "int32", 5}, {"a", "int32", 5, "\"iota\""}, {"out", "int32", 5}};

TEST_F(Order, ALookBackScanIsDependent) {
  const FullRun result = grid_run(kLookBack, 5, 1, kLookBackBuffers);
  EXPECT_TRUE(result.order_dependent);
  EXPECT_THAT(elements<int>(result.outputs.at(3)), testing::ElementsAre(0, 1, 3, 6, 10));
}

TEST_F(Order, AWorkgroupThatWaitsForAnotherSaysSo) {
  const auto result = trace(make_case(kLookBack, 5, 1, kLookBackBuffers), 3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().blame, Blame::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("order-dependent"));
  EXPECT_THAT(result.error().message, HasSubstr("byte 8 of 'flag'"));
  EXPECT_THAT(result.error().message, HasSubstr("workgroup 3"));
  EXPECT_EQ(result.error().place.line, 5);
}

TEST_F(Order, AHandMadeBarrierOfTheGridSaysSo) {
  const auto result =
      run(make_case("__global__ void k(unsigned* arrived, float* a) {\n"
                    "  if (threadIdx.x == 0) {\n"
                    "    atomicAdd(arrived, 1u);\n"
                    "    while (atomicAdd(arrived, 0u) < gridDim.x) {}\n"
                    "  }\n"
                    "  __syncthreads();\n  a[blockIdx.x] = 1;\n}\n",
                    4, 32, {{"arrived", "uint32", 1}, {"a", "fp32", 4}}));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("order-dependent"));
  EXPECT_EQ(result.error().place.line, 4);
}

TEST_F(Order, AThreadMayWaitForAnotherOfItsWorkgroup) {
  const FullRun result = grid_run(
      "__global__ void k(int* out) {\n"
      "  __shared__ volatile int ready;\n"
      "  if (threadIdx.x == 0) ready = 0;\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 0) { while (ready == 0) {} out[blockIdx.x] = ready; }\n"
      "  if (threadIdx.x == 40) ready = 7;\n}\n",
      2, 64, {{"out", "int32", 2}});
  EXPECT_FALSE(result.order_dependent);
  EXPECT_THAT(elements<int>(result.outputs.at(0)), testing::Each(7));
}

}  // namespace
}  // namespace swizzleperf

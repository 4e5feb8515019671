// What the headers for the CPU make of HIP's and CUDA's functions.
#include "kernel_fixture.h"

namespace swizzleperf {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class Shim : public KernelTest {
 protected:
  // Runs `body` in a kernel of one workgroup of 32 threads on `float* f` and `int* i`, 32 elements each.
  struct Result {
    std::vector<float> f;
    std::vector<int> i;
  };
  Result run_body(const std::string& body, const std::string& before = "") {
    const auto result = run(
        make_case(before + "\n__global__ void k(float* f, int* i) {\n  const int t = threadIdx.x;\n" + body + "\n}\n",
                  1, 32, {{"f", "fp32", 32, "\"iota\""}, {"i", "int32", 32, "\"iota\""}}));
    EXPECT_TRUE(result) << describe(result.error());
    if (!result) return {};
    return {elements<float>(result->outputs.at(0)), elements<int>(result->outputs.at(1))};
  }
};

TEST_F(Shim, AtomicsReturnTheOldValueAndConvertTheirOperands) {
  const Result result = run_body(
      "  if (t != 0) return;\n"
      "  unsigned* u = (unsigned*)i;\n  i[0] = 5;\n  i[1] = atomicAdd(&i[0], 2.9f);\n  i[2] = atomicCAS(u, 7, 1);\n"
      "  i[3] = atomicCAS(u, 7, 2);\n  i[4] = atomicExch(&i[0], 9);\n  i[5] = atomicMax(&i[0], 12);\n  i[6] = "
      "atomicMin(&i[0], 3);\n"
      "  i[7] = atomicAnd(&i[0], 2);\n  i[8] = atomicOr(&i[0], 8);\n  i[9] = atomicXor(&i[0], 3);\n"
      "  i[10] = atomicInc(u, 9);\n  i[11] = atomicInc(u, 9);\n  i[12] = atomicDec(u, 9);\n  i[13] = atomicDec(u, 9);\n"
      "  i[14] = atomicSub_system(&i[0], 1);\n  i[15] = atomicAdd_block(&i[0], 1);\n  i[16] = i[0];\n"
      "  i[17] = __hip_atomic_fetch_add(&i[0], 3, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);\n"
      "  i[18] = __hip_atomic_load(&i[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);\n"
      "  i[19] = __atomic_fetch_or(&i[0], 32, __ATOMIC_RELAXED);\n  i[20] = __atomic_load_n(&i[0], __ATOMIC_RELAXED);\n"
      "  i[21] = __sync_fetch_and_add(&i[0], 4);\n"
      "  int expected = 0;\n"
      "  i[22] = __hip_atomic_compare_exchange_strong(&i[0], &expected, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED, 4);\n"
      "  i[23] = expected;");
  EXPECT_THAT((std::vector<int>(result.i.begin() + 1, result.i.begin() + 24)),
              ElementsAre(5, 7, 1, 1, 9, 12, 3, 2, 10, 9, 0, 1, 0, 9, 8, 9, 9, 12, 12, 44, 44, 0, 48));
}

TEST_F(Shim, AtomicsOnHalvesDoublesAndLongs) {
  const auto result = run(make_case(
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
      "__global__ void k(half2* h, double* d, unsigned long long* l, __nv_bfloat162* b, half* single) {\n"
      "  atomicAdd(h, __floats2half2_rn(1, 2));\n  atomicAdd(d, 1);\n  atomicAdd(l, 1);\n"
      "  atomicAdd(b, __floats2bfloat162_rn(1, 2));\n  atomicAdd(single, __float2half(0.5f));\n}\n",
      2, 8, {{"h", "fp16", 2}, {"d", "fp64", 1}, {"l", "uint64", 1}, {"b", "bf16", 2}, {"single", "fp16", 1}}));
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_FALSE(result->order_dependent) << result->order_dependence;
  EXPECT_TRUE(result->atomics);
  EXPECT_THAT(elements<_Float16>(result->outputs.at(0)), ElementsAre(_Float16(16), _Float16(32)));
  EXPECT_THAT(elements<double>(result->outputs.at(1)), ElementsAre(16));
  EXPECT_THAT(elements<uint64_t>(result->outputs.at(2)), ElementsAre(16));
  EXPECT_THAT(elements<uint16_t>(result->outputs.at(3)), ElementsAre(0x4180, 0x4200));
  EXPECT_THAT(elements<_Float16>(result->outputs.at(4)), ElementsAre(_Float16(8)));
}

TEST_F(Shim, MasksSplitAWarp) {
  const Result result = run_body(
      "  const unsigned mask = t < 8 ? 0xffu : 0xffffff00u;\n"
      "  i[t] = __popc(__ballot_sync(mask, t % 2));\n"
      "  if (t < 8) f[t] = __shfl_sync(0xff, t * 10, 3); else f[t] = __shfl_up_sync(0xffffff00, t, 1);");
  EXPECT_EQ(result.i[0], 4);
  EXPECT_EQ(result.i[31], 12);
  EXPECT_EQ(result.f[7], 30);
  EXPECT_EQ(result.f[9], 8);
}

TEST_F(Shim, ShufflesWithAWidthAndOfEightBytes) {
  const Result result = run_body(
      "  i[t] = (int)__shfl_down_sync(0xffffffff, (long long)t << 33, 3, 8) + (int)(__shfl_down_sync(0xffffffff, (long "
      "long)t << 33, 3, 8) >> 33);\n"
      "  f[t] = __shfl_xor_sync(0xffffffff, (double)t, 16);");
  EXPECT_EQ(result.i[0], 3);
  EXPECT_EQ(result.i[7], 7);  // beyond the width: its own
  EXPECT_EQ(result.f[3], 19);
}

TEST_F(Shim, CoalescedThreadsAndPartitions) {
  const Result result = run_body(
      "  namespace cg = cooperative_groups;\n"
      "  if (t % 3 == 0) {\n    const auto group = cg::coalesced_threads();\n"
      "    i[t] = group.thread_rank() * 100 + group.size();\n    f[t] = group.shfl(t, 2);\n  }\n"
      "  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());\n"
      "  const auto half = cg::binary_partition(tile, t % 2 == 0);\n"
      "  const int sum = cg::reduce(half, t, cg::plus<int>());\n"
      "  const int scan = cg::inclusive_scan(tile, 1);\n"
      "  const int votes = (int)tile.ballot(t % 8 > 5);\n"
      "  if (t % 3 == 1) { i[t] = sum; f[t] = scan * 1000 + votes; }",
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>");
  EXPECT_EQ(result.i[9], 311);  // the 4th of 11 lanes
  EXPECT_EQ(result.f[9], 6);
  EXPECT_EQ(result.i[10], 8 + 10 + 12 + 14);
  EXPECT_EQ(result.f[10], 3192);
}

TEST_F(Shim, GroupsCopyInTheBackground) {
  const Result result = run_body(
      "  __shared__ __align__(16) float tile[32];\n  namespace cg = cooperative_groups;\n"
      "  const auto block = cg::this_thread_block();\n  cg::memcpy_async(block, tile, f, sizeof tile);\n  "
      "cg::wait(block);\n"
      "  const float v = tile[31 - t];\n  block.sync();\n  f[t] = v;",
      "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>");
  EXPECT_EQ(result.f[0], 31);
  EXPECT_EQ(result.f[31], 0);
}

TEST_F(Shim, VectorsOfHipHaveOperators) {
  const Result result = run_body(
      "  float4 v = make_float4(1, 2, 3, 4);\n  v = v * 2.0f + v;\n  v += make_float4(1, 1, 1, 1);\n"
      "  int2 n = make_int2(t, 1) - make_int2(1, t);\n  float4 zero = {0};\n"
      "  f[t] = v.x + v.y + v.z + v.w + zero.w;\n  i[t] = n.x * 100 + n.y;");
  EXPECT_THAT(result.f, Each(34.0f));
  EXPECT_EQ(result.i[5], 396);
}

TEST_F(Shim, VectorsMayLieInUnionsThatAreCopied) {
  const Result result = run_body("  const Words w = make(t);\n  f[t] = w.vector.y + w.words[3];",
                                 "union Words {\n  float4 vector;\n  float words[4];\n};\n"
                                 "__device__ Words make(int t) {\n  Words w;\n  w.vector = make_float4(0, t, 0, 1);\n"
                                 "  Words copy = w;\n  return copy;\n}");
  EXPECT_EQ(result.f[7], 8);
}

TEST_F(Shim, AKernelsOwnVectorOperatorsArePreferred) {
  const Result result =
      run_body("  const float2 v = make_float2(3, 4) * make_float2(2, 2);\n  f[t] = v.x;",
               "__device__ inline float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - 1, a.y); }");
  EXPECT_THAT(result.f, Each(5.0f));
}

TEST_F(Shim, MathAndMixedMinima) {
  const Result result = run_body(
      "  float s, c;\n  __sincosf(0.5f, &s, &c);\n"
      "  f[t] = s * s + c * c + rsqrtf(4.0f) + exp2f(3) + fmaxf(1, 2) + abs(-1.5f) + __saturatef(7) + tanhf(0) + "
      "erff(0);\n"
      "  i[t] = min(t, 3u) + max(2, (long long)t) + __float2int_rn(2.5f) + __mulhi(1 << 30, 8);");
  EXPECT_NEAR(result.f[0], 1 + 0.5 + 8 + 2 + 1.5 + 1, 1e-6);
  EXPECT_EQ(result.i[5], 3 + 5 + 2 + 2);
}

TEST_F(Shim, HalvesRoundToNearest) {
  const Result result = run_body(
      "  const __half a = __float2half(0.1f), b = __float2half(3.0f);\n"
      "  f[t] = __half2float(a * b) + __half2float(__hfma(a, b, b)) * 0 + (float)__low2half(__half2half2(b));\n"
      "  i[t] = __half_as_ushort(a) + (a < b) + (int)__hge(b, a);\n"
      "  half2 p = __halves2half2(a, b);\n  p = __hmax2(p, __lowhigh2highlow(p));\n  f[t] += __low2float(p) - 3;",
      "#include <cuda_fp16.h>");
  EXPECT_EQ(result.f[0], static_cast<float>(static_cast<_Float16>(static_cast<float>(_Float16(0.1f)) * 3)) + 3);
  EXPECT_EQ(result.i[0], 0x2e66 + 2);
}

TEST_F(Shim, ClocksGoForward) {
  const Result result = run_body("  const long long a = clock64();\n  const auto b = clock();\n  i[t] = b > a;");
  EXPECT_THAT(result.i, Each(1));
}

TEST_F(Shim, WavesOfHipHaveSixtyFourLanes) {
  std::string toml =
      "source = \"k.hip\"\nkernel = \"k\"\n[launch]\ngrid = [1]\nblock = [128]\n[variants.main]\nN = 1\n[[args]]\n"
      "name = \"i\"\ndtype = \"int32\"\nshape = [128]\noutput = true\ninit = \"iota\"\n";
  ASSERT_TRUE(write_file_atomic(
      folder_.path() / "k.hip",
      "#include <hip/hip_runtime.h>\n__global__ void k(int* i) {\n"
      "  const int t = threadIdx.x;\n"
      "  const int first = __builtin_amdgcn_readfirstlane(t);\n"
      "  const int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));\n"
      "  i[t] = first * 1000 + lane + (warpSize == 64 ? 0 : 5) + __popcll(__ballot(t & 1)) * 100000;\n}\n"));
  const auto result = run(parse_case(toml, folder_.path() / "case.toml").value(), 64);
  ASSERT_TRUE(result) << describe(result.error());
  const auto i = elements<int>(result->outputs.at(0));
  EXPECT_EQ(i[5], 3200005);
  EXPECT_EQ(i[127], 3264063);
}

}  // namespace
}  // namespace swizzleperf

// Reads of the block id outside the kernel's own scope: covered with a remap of their own, or refused; never missed.
// And only what this kernel reaches counts.
#include "tests/rewrite/rewriting.h"

namespace swizzleperf {
namespace {

using Reach = Rewriting;

// Sources whose reads are covered by so many remaps, the kernel's own included.
struct Covered {
  size_t remaps;
  const char* source;
};

TEST_F(Reach, HelpersLambdasAndMethodsGetTheirOwnRemap) {
  const Covered cases[] = {
      {2, "__device__ int id() { return blockIdx.x; }\n__global__ void k(float* a) { a[id()] = 1; }\n"},
      {2,
       "__device__ int inner() { return hipBlockIdx_x; }\n__device__ int id() { return inner(); }\n"
       "__global__ void k(float* a) { a[id()] = 1; }\n"},
      {2,
       "template <class T> __device__ int id(T) { return blockIdx.x; }\n"
       "template <class T> __global__ void k(T* a) { a[id(a)] = 1; }\n"},
      {2,
       "namespace n { __device__ int id() { return __builtin_amdgcn_workgroup_id_y(); } }\n"
       "__global__ void k(float* a) { using namespace n; a[id()] = 1; }\n"},
      {2, "struct S { int id() const { return blockIdx.x; } };\n__global__ void k(float* a) { a[S{}.id()] = 1; }\n"},
      {2, "struct S { int i; S() { i = blockIdx.x; } };\n__global__ void k(float* a) { S s; a[s.i] = 1; }\n"},
      {2,
       "struct S { operator int() const { return blockIdx.x; } };\n"
       "__global__ void k(float* a) { a[S{}] = 1; }\n"},
      {2, "struct S { float* a; ~S() { a[blockIdx.x] = 1; } };\n__global__ void k(float* a) { S s{a}; }\n"},
      {2,
       "template <class T> struct S { int id() { return blockIdx.x; } };\n"
       "template <class T> __global__ void k(T* a) { S<T> s; a[s.id()] = 1; }\n"},
      {2,
       "struct F { __device__ int operator()() const { return blockIdx.x; } };\n"
       "template <class T> __global__ void k(T* a) { F f; a[f()] = 1; }\n"},
      {2, "__device__ auto id = [] { return blockIdx.x; };\n__global__ void k(float* a) { a[id()] = 1; }\n"},
      {2,
       "__device__ int id() { return blockIdx.x; }\n__device__ int (*pointer)() = id;\n"
       "__global__ void k(float* a) { a[pointer()] = 1; }\n"},
      {2, "__global__ void k(float* a) { auto f = [](int i) { return blockIdx.x + i; }; a[f(1)] = 1; }\n"},
      {2, "__global__ void k(float* a) { auto f = [a](int i) { a[i] = blockIdx.x; }; f(1); }\n"},
      {1, "__global__ void k(float* a) { auto f = [&](int i) { return blockIdx.x + i; }; a[f(1)] = 1; }\n"},
      {1,
       "__global__ void k(float* a) { auto f = [=] { auto g = [=] { return blockIdx.x; }; return g(); };"
       " a[f()] = 1; }\n"},
      {2, "__global__ void k(float* a) { struct L { int id() { return blockIdx.x; } }; a[L().id()] = 1; }\n"},
      {3,
       "#define ID blockIdx.x\n__device__ int one() { return ID; }\n__device__ int two() { return ID + one(); }\n"
       "__global__ void k(float* a) { a[two()] = 1; }\n"},
  };
  for (const auto& [expected, source] : cases) {
    const auto result = rewrite(source);
    ASSERT_TRUE(result) << source << describe(result.error());
    EXPECT_EQ(remaps(*result), expected) << source << result->source;
    expect_patch_applies(*result);
    EXPECT_FALSE(rewrite(result->source)) << "twice: " << source;
  }
}

TEST_F(Reach, WhatARemapCannotCoverIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"struct S { int i; S() : i(blockIdx.x) {} };\n__global__ void k(float* a) { S s; a[s.i] = 1; }\n", "outside"},
      {"struct S { int i = blockIdx.x; };\n__global__ void k(float* a) { S s; a[s.i] = 1; }\n", "outside"},
      {"struct S { int i = blockIdx.x; };\nstruct T { S s; };\nstruct U : T {};\n"
       "__global__ void k(float* a) { U u; a[u.s.i] = 1; }\n",
       "outside"},
      {"__device__ int id(int i = blockIdx.x) { return i; }\n__global__ void k(float* a) { a[id()] = 1; }\n",
       "outside"},
      {"__global__ void k(float* a) { a[::blockIdx.x] = 1; }\n", "::blockIdx"},
      {"#define BID ::blockIdx.x\n__global__ void k(float* a) { a[BID] = 1; }\n", "would remain"},
      {"#define BID hipBlockIdx_x\n__global__ void k(float* a) { a[BID] = 1; }\n", "BID"},
      {"#define INNER hipBlockIdx_x\n#define BID INNER\n__global__ void k(float* a) { a[BID] = 1; }\n", "BID"},
      {"__global__ void k(float* a) { int i; asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(i)); a[i] = 1; }\n", "ctaid"},
      {"__device__ int id() { int i; asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(i)); return i; }\n"
       "__global__ void k(float* a) { a[id()] = 1; }\n",
       "ctaid"},
      {"#define BODY { return blockIdx.x; }\n__device__ int id() BODY\n__global__ void k(float* a) { a[id()] = 1; }\n",
       "outside"},
      {"__device__ int id() { return blockIdx.x; }\n__global__ void other(float* a) { a[id()] = 1; }\n"
       "__global__ void k(float* a) { a[id()] = 1; }\n",
       "`other`"},
      {"__device__ constexpr int id(int i) { return i > 0 ? i : blockIdx.x; }\n"
       "__global__ void k(float* a) { static_assert(id(3) == 3); a[id(0)] = 1; }\n",
       "does not compile"},
  };
  for (const auto& [source, reason] : cases) expect_refused(source, reason);
}

TEST_F(Reach, TheBlockIdOfACooperativeGroupIsReplaced) {
  const std::string head = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";
  for (const char* body : {"auto block = cg::this_thread_block(); a[block.group_index().x] = 1;",
                           "a[cg::this_thread_block().group_index().x] = 1;",
                           "const auto b = cg::this_thread_block(); auto g = b.group_index(); a[g.x + gridDim.x * "
                           "b.group_index().y] = 1;"}) {
    const auto result = rewrite(head + "__global__ void k(float* a) { " + body + " }\n");
    ASSERT_TRUE(result) << body << describe(result.error());
    EXPECT_EQ(result->source.find("group_index"), std::string::npos);
  }
  expect_refused(head + "__global__ void k(float* a, cg::thread_block* b) { a[b->group_index().x] = 1; }\n",
                 "group_index");
}

TEST_F(Reach, AFunctionTryBlockIsABody) {
  const auto result = rewrite(
      "__device__ int id() try { return blockIdx.x; } catch (...) { return 0; }\n"
      "__global__ void k(float* a) try { a[id()] = 1; } catch (...) { }\n");
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(remaps(*result), 2U);
}

TEST_F(Reach, AHelperInAHeaderIsRefusedWithItsName) {
  write("helper.h", "__device__ inline int id() { return blockIdx.x; }\n");
  expect_refused("#include \"helper.h\"\n__global__ void k(float* a) { a[id()] = 1; }\n", "included file");
  write("helper.h", "__device__ inline int id() { return __builtin_amdgcn_workgroup_id_x(); }\n");
  expect_refused("#include \"helper.h\"\n__global__ void k(float* a) { a[id()] = 1; }\n", "included file");
  write("helper.h", "#define BID hipBlockIdx_x\n");
  expect_refused("#include \"helper.h\"\n__global__ void k(float* a) { a[BID] = 1; }\n", "BID");
}

TEST_F(Reach, WhatOnlyOtherKernelsReachDoesNotMatter) {
  for (const std::string other :
       {"__device__ int id(int i = blockIdx.x) { return i; }\n__global__ void other(float* a) { a[id()] = 1; }\n",
        "struct S { int i = blockIdx.x; S() : i(hipBlockIdx_y) {} };\n__global__ void other(float* a) { S s; a[s.i] = "
        "1; "
        "}\n",
        "#define BID hipBlockIdx_x\n__global__ void other(float* a) { a[BID] = 1; }\n",
        "__device__ int id() { int i; asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(i)); return i; }\n"
        "__global__ void other(float* a) { a[id()] = 1; }\n",
        "__device__ int unused() { return ::blockIdx.x + __builtin_amdgcn_workgroup_id_x(); }\n"}) {
    const auto result = rewrite(other + "__global__ void k(float* a) { a[blockIdx.x] = 1; }\n");
    ASSERT_TRUE(result) << other << describe(result.error());
    EXPECT_EQ(remaps(*result), 1U);
    EXPECT_EQ(result->source.rfind(other, 0), 0U);
  }
}

TEST_F(Reach, GridSyncAndClustersAreRefusedOnlyWhereTheyAreUsed) {
  const std::string declarations = "struct G { void sync() {} };\n__device__ G this_grid() { return {}; }\n";
  expect_refused(declarations + "__global__ void k(float* a) { this_grid().sync(); a[blockIdx.x] = 1; }\n",
                 "cooperative");
  const auto result = rewrite(declarations + "__global__ void other(float* a) { this_grid().sync(); }\n" +
                              "__global__ void k(float* a) { a[blockIdx.x] = 1; }\n");
  EXPECT_TRUE(result) << describe(result.error());
}

}  // namespace
}  // namespace swizzleperf

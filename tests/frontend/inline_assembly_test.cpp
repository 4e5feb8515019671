// Inline assembly becomes calls, and nothing else changes; what the calls do.
#include "frontend/clike/inline_assembly.h"

#include "kernel_fixture.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;

TEST(InlineAssembly, BecomesACallWithTheSameLines) {
  EXPECT_EQ(call_assembly("asm(\"a;\");"), "::sp_ptx(\"a;\");");
  EXPECT_EQ(call_assembly("asm volatile (\"a %0;\" : \"=r\"(x));"), "::sp_ptx(\"a %0;\", ::sp_ptx_out(\"\", (x)));");
  EXPECT_EQ(
      call_assembly("__asm__ __volatile__(\"a;\"\n\"b;\" ::[n] \"l\"(f(p, 1)), \"n\"(T<a, b>::v)\n: \"memory\");c"),
      "::sp_ptx(\"a;\"\n\"b;\", ::sp_ptx_in(\"n\", (f(p, 1))), ::sp_ptx_in(\"\", (T<a, b>::v)))\n;c");
}

TEST(InlineAssembly, IsNotSeenElsewhere) {
  for (const std::string text : {"// asm(\"a;\")\n", "int asmx(1);", "f(\"asm(\\\"a\\\")\");", "asm", "asm(", "asm()",
                                 "#define A asm(\"a;\")\\\n  asm(\"b;\")\nx", "int x asm(\"name\" : nonsense);"})
    EXPECT_EQ(call_assembly(text), text);
}

TEST(InlineAssembly, ConstraintsOfAnyGpuAreReadAsAny) {
  EXPECT_EQ(neutral_constraints(
                "asm(\"f %0\" : \"=&f\"(x), [l] \"+l\"(\"l\"[0]) : \"n\"(N), \"h\"(f ? 1 : 2) : \"memory\");"),
            "asm(\"f %0\" : \"=&g\"(x), [l] \"+g\"(\"l\"[0]) : \"n\"(N), \"g\"(f ? 1 : 2) : \"memory\");");
}

class Ptx : public KernelTest {
 protected:
  // What the body leaves in b, from a with numbers from 0.
  std::vector<float> results(const std::string& body) {
    const auto result = run(make_case("__global__ void k(float* a, float* b) {\n" + body + "}\n", 1, 32,
                                      {{"a", "fp32", 64, "\"iota\""}, {"b", "fp32", 64}}));
    EXPECT_TRUE(result) << describe(result.error());
    return result ? elements<float>(result->outputs[1]) : std::vector<float>(64);
  }
};

TEST_F(Ptx, LoadsAndStoresAreAccesses) {
  const auto tile =
      trace(make_case("__global__ void k(float* a, float* b) {\n  float x, y;\n"
                      "  asm volatile(\"ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2 + 8];\" : \"=f\"(x), "
                      "\"=f\"(y) : \"l\"(a + 2 * threadIdx.x));\n"
                      "  asm volatile(\"st.global.cs.f32 [%0], %1;\" :: \"l\"(b + threadIdx.x), \"f\"(x + y));\n}\n",
                      1, 32, {{"a", "fp32", 66}, {"b", "fp32", 32}}));
  ASSERT_TRUE(tile) << describe(tile.error());
  ASSERT_EQ(tile->footprint.accesses.size(), 2U);
  EXPECT_EQ(tile->footprint.accesses[0].origin, 8);
  EXPECT_EQ(tile->footprint.patterns.at(0).segments.at(0).bytes, 256);
  EXPECT_EQ(tile->footprint.accesses[1].kind, AccessKind::kStore);
}

TEST_F(Ptx, SmallInstructions) {
  const auto b = results(
      "  const int i = threadIdx.x;\n  unsigned x, y; float f, g;\n"
      "  asm(\"lop3.b32 %0, %1, %2, %3, 0x96;\" : \"=r\"(x) : \"r\"(i), \"r\"(5), \"r\"(3));\n"
      "  asm(\"prmt.b32 %0, %1, %2, 0x5410;\" : \"=r\"(y) : \"r\"(0x22221111), \"r\"(0x44443333));\n"
      "  asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(f) : \"f\"(3.0f));\n"
      "  asm(\"{ .reg .pred q; setp.eq.s32 q, %1, 7; mov.b32 %0, 0x3f800000; @!q mov.b32 %0, %2; }\" : \"=f\"(g) : "
      "\"r\"(i), "
      "\"f\"(4.0f));\n"
      "  b[i] = x == (i ^ 5 ^ 3) && y == 0x33331111 && f == 8.0f ? g : -1.0f;\n");
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(b[i], i == 7 ? 1.0F : 4.0F) << i;
}

TEST_F(Ptx, CopiesOfLessFillUpWithZeros) {
  const auto b = results(
      "  __shared__ __align__(16) float s[128];\n"
      "  const unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * threadIdx.x);\n"
      "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16, %2;\" :: \"r\"(to), \"l\"(a + threadIdx.x), "
      "\"r\"(8));\n"
      "  asm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n  asm volatile(\"bar.sync 0;\");\n"
      "  const float* t = s + 4 * (31 - threadIdx.x);\n  b[threadIdx.x] = t[0] + 100 * t[1] + t[2] + t[3];\n");
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(b[i], static_cast<float>(31 - i + 100 * (32 - i))) << i;
}

TEST_F(Ptx, WhatIsNotKnownIsNamedWithItsLine) {
  const auto result =
      run(make_case("__global__ void k(float* a) {\n  a[0] = 1;\n  asm volatile(\"wgmma.fence.sync.aligned;\");\n}\n",
                    1, 1, {{"a", "fp32", 1}}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().blame, Blame::kUnsupported);
  EXPECT_EQ(result.error().place.line, 3);
  EXPECT_THAT(result.error().message, HasSubstr("wgmma.fence.sync.aligned"));
}

}  // namespace
}  // namespace swizzleperf

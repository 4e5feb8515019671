// Occupancy comes from the kernel compiled for the GPU, in whichever dialect it is written.
#include "frontend/clike/occupancy.h"

#include "base/process.h"
#include "kernel_fixture.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Occupancy : public KernelTest {
 protected:
  // 16 KiB of shared memory, read through a shuffle.
  OccupancyEstimate estimate(const std::string& dialect, const std::string& gpu, const std::string& header,
                             const std::string& shuffle) {
    const std::string source = "#include <" + header +
                               ">\n__global__ void k(float* a) {\n  __shared__ float s[4096];\n"
                               "  s[threadIdx.x * 16] = a[threadIdx.x];\n  __syncthreads();\n  a[threadIdx.x] = " +
                               shuffle + " + s[a[0] > 0 ? 4095 - threadIdx.x : 5];\n}\n";
    EXPECT_TRUE(write_file_atomic(folder_.path() / "k.cu", source));
    const auto the_case =
        parse_case("source = \"k.cu\"\nkernel = \"k\"\ndialect = \"" + dialect +
                       "\"\n[launch]\ngrid = [4]\nblock = [256]\n[variants.main]\nN = 1\n[[args]]\nname "
                       "= \"a\"\ndtype = \"fp32\"\nshape = [256]\noutput = true\ninit = \"zeros\"\n",
                   folder_.path() / "case.toml")
            .value();
    const auto info = analyse_source(the_case).value();
    return find_occupancy(the_case, the_case.instance("main").value(), info, load_gpu(gpu).value());
  }
};

TEST_F(Occupancy, ACudaSourceOnAnAmdGpu) {
  const auto found = estimate("cuda", "mi300x", "cuda_runtime.h", "__shfl_xor_sync(0xffffffff, s[threadIdx.x], 1)");
  EXPECT_THAT(found.source, StartsWith("gfx942 code"));
  EXPECT_EQ(found.workgroups_per_cu, 4);  // of 64 KiB
}

// Its figures, not those of a neighbour whose name begins or ends alike.
TEST_F(Occupancy, AKernelWithCLinkageAmongOthers) {
  const std::string head =
      "#include <hip/hip_runtime.h>\n__global__ void ak(float* a) { a[0] = 1; }\n__global__ void k_2(float* a) { a[0] "
      "= 2; }\n";
  for (const std::string linkage : {"extern \"C\" ", "namespace n { namespace m { ", ""}) {
    EXPECT_TRUE(write_file_atomic(
        folder_.path() / "k.hip",
        head + linkage +
            "__global__ void k(float* a) {\n  __shared__ float s[8192];\n"
            "  s[threadIdx.x * 32] = a[0];\n  __syncthreads();\n  a[threadIdx.x] = s[(int)a[1]];\n}\n" +
            (linkage[0] == 'n' ? "}}\n" : "")));
    const auto the_case =
        parse_case(
            "source = \"k.hip\"\nkernel = \"k\"\n[launch]\ngrid = [4]\nblock = [256]\n[variants.main]\nN = "
            "1\n[[args]]\nname = \"a\"\ndtype = \"fp32\"\nshape = [256]\noutput = true\ninit = \"zeros\"\n",
            folder_.path() / "case.toml")
            .value();
    const auto info = analyse_source(the_case).value();
    const auto found = find_occupancy(the_case, the_case.instance("main").value(), info, load_gpu("mi300x").value());
    EXPECT_THAT(found.source, HasSubstr("32768 B of shared memory")) << linkage;
    EXPECT_EQ(found.workgroups_per_cu, 2);
  }
}

TEST_F(Occupancy, AHipSourceOnAnNvidiaGpu) {
  const auto found = estimate("hip", "h200", "hip/hip_runtime.h", "__shfl_xor(s[threadIdx.x], 1)");
  EXPECT_THAT(found.source, find_program("nvcc").empty() ? HasSubstr("assumed") : HasSubstr("sm_90 code"));
}

TEST_F(Occupancy, WhatDoesNotCompileIsAssumedAndSaysWhy) {
  const auto found = estimate("cuda", "mi300x", "cuda_runtime.h",
                              "[] { float x; asm(\"mov.f32 %0, 0f00000000;\" : \"=f\"(x)); return x; }()");
  EXPECT_THAT(found.source, AllOf(HasSubstr("assumed"), HasSubstr("not compiled for gfx942")));
}

}  // namespace
}  // namespace swizzleperf

// Small kernels in the styles of public code: each runs whole and is compared with its reference, traces, and compiles
// for its GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "base/process.h"
#include "frontend/clike/device_compile.h"
#include "frontend/clike/source.h"
#include "frontend/clike/trace.h"
#include "references.h"

namespace swizzleperf {
namespace {

struct Kernel {
  const char* file;  // below cases/, without .toml
  Outputs (*reference)(const Inputs&);
  double tolerance;  // relative above 1, absolute below; 0: equal
};

constexpr double kSums = 1e-5;           // fp32 sums of up to some thousand terms near 1
constexpr double kHalf = 0x1p-11 * 1.1;  // half a unit in the last place of fp16, and a little for double rounding
constexpr double kBfloat = 0x1p-8;       // one unit in the last place of bf16

const Kernel kKernels[] = {
    {"grid_stride", saxpy, kSums},
    {"persistent_tiles", add_transposed, kSums},
    {"swizzled_gemm", gemm_once, kSums},
    {"padded_grid", scale_rows, 0},
    {"struct_ids", smooth, kSums},
    {"templates_float", scaled, kSums},
    {"templates_half", scaled, kHalf},
    {"warp_sums", row_sums, kSums},
    {"dpp_sums", row_sums, 0},
    {"wave_maxima", row_maxima, 0},
    {"cg_softmax", row_softmax, kSums},
    {"compact", compacted, 0},
    {"half2_axpy", axpy_halves, kHalf},
    {"bf16_rmsnorm", row_rms, kBfloat},
    {"histogram", counts_of_64, 0},
    {"sums_and_maxima", sums_and_maxima, kSums},
    {"pixels", blended, 0},
    {"activations", activated, kSums},
    {"top_k", row_top_4, 0},
    {"checked_gather", gathered, 0},
    {"wmma_gemm", gemm_twice, kSums},
    {"mfma_gemm_32", gemm_twice, kSums},
    {"mfma_gemm_16", gemm_twice, kSums},
    {"pipeline_gemm", gemm_once, kSums},
    {"ptx_gemm", gemm_once, kSums},
    {"block_scan", running_sums, 0},
    {"wave_scan", running_sums, 0},
    {"blur", blurred, kSums},
    {"bits", mixed_bits, 0},
    {"votes", voted, 0},
    {"particles", turned, kSums},
    {"with_host_code_cu", added, kSums},
    {"with_host_code_hip", added, kSums},
};

class Kernels : public testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override {
    const auto loaded = load_case(std::filesystem::path(SWIZZLEPERF_SOURCE_DIR) / "tests/kernels/cases" /
                                  (std::string(GetParam().file) + ".toml"));
    ASSERT_TRUE(loaded) << describe(loaded.error());
    case_ = *loaded;
    const auto info = analyse_source(case_);
    ASSERT_TRUE(info) << describe(info.error());
    kernel_ = *info;
  }
  int64_t lanes() const { return case_.dialect == Dialect::kCuda ? 32 : 64; }

  Case case_;
  KernelInfo kernel_;
};

void expect_close(const Argument& argument, const std::vector<double>& got, const std::vector<double>& expected,
                  double tolerance) {
  ASSERT_EQ(got.size(), expected.size()) << argument.name;
  for (size_t i = 0; i < got.size(); ++i) {
    const double allowed = tolerance * std::max(1.0, std::abs(expected[i]));
    // Written so that a NaN fails.
    ASSERT_TRUE(std::abs(got[i] - expected[i]) <= allowed)
        << argument.name << "[" << i << "] is " << got[i] << ", expected " << expected[i];
  }
}

TEST_P(Kernels, ComputeWhatTheyClaim) {
  const auto compiled = TracedKernel::compile(case_, kernel_, kernel_.source);
  ASSERT_TRUE(compiled) << describe(compiled.error());
  const CaseInstance instance = case_.instance("verify").value();
  const auto run = run_grid(*compiled, instance, lanes());
  ASSERT_TRUE(run) << describe(run.error());
  EXPECT_FALSE(run->order_dependent) << run->order_dependence;
  const Outputs expected = GetParam().reference(Inputs(instance));
  size_t output = 0;
  for (const Argument& argument : instance.arguments) {
    if (!argument.output) continue;
    ASSERT_LT(output, expected.size());
    expect_close(argument, decode(argument.dtype, run->outputs.at(output)), expected[output], GetParam().tolerance);
    ++output;
  }
  EXPECT_EQ(output, expected.size());
  const auto tiles = trace_tiles(*compiled, instance, {.tiles = {instance.grid.size() - 1, 0}, .wave_lanes = lanes()});
  ASSERT_TRUE(tiles) << describe(tiles.error());
  EXPECT_GT(tiles->at(1).instructions, 0u);
}

TEST_P(Kernels, CompileForTheirGpu) {
  const bool cuda = case_.dialect == Dialect::kCuda;
  if (cuda && find_program("nvcc").empty()) GTEST_SKIP() << "nvcc is not installed";
  const auto resources = cuda ? compile_for_nvidia(case_, kernel_, kernel_.source, "sm_90")
                              : compile_for_amd(case_, kernel_, kernel_.source, "gfx942");
  ASSERT_TRUE(resources) << describe(resources.error());
  EXPECT_GT(resources->vgprs, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(kKernels),
                         [](const auto& instance) { return std::string(instance.param.file); });

}  // namespace
}  // namespace swizzleperf

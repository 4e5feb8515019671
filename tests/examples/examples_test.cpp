// Every example, in HIP and in CUDA, against a reference on the CPU: the whole grid of each variant that is named
// `verify...`.
#include <gtest/gtest.h>

#include <cmath>

#include "frontend/clike/source.h"
#include "frontend/clike/trace.h"
#include "references.h"

namespace swizzleperf {
namespace {

struct Example {
  const char* file;  // below examples/, without .toml; its CUDA twin ends in _cuda
  Outputs (*reference)(const Inputs&);
  // Largest difference allowed, relative to values above 1, absolute below; 0: equal. fp16 outputs may also be off by
  // their own rounding.
  double tolerance;
};

// For messages.
void PrintTo(const Example& example, std::ostream* out) {
  *out << example.file;
}

constexpr double kHalf = 0x1p-11 * 1.05;  // half a unit in the last place of fp16, and a little for ties
constexpr double kSums = 1e-5;            // fp32 sums of up to some thousand terms near 1
constexpr double kWeights = kHalf;        // attention rounds its weights to fp16

const Example kExamples[] = {
    {"gemm/gemm", gemm, kSums},
    {"gemm/gemm_fp32", gemm, kSums},
    {"matrix_gemm/matrix_gemm", matrix_gemm, kSums},
    {"transpose/transpose", transpose, 0},
    {"elementwise/elementwise", elementwise, kSums},
    {"stencil/stencil", stencil, kSums},
    {"layernorm/layernorm", layernorm, kSums},
    {"softmax/softmax", softmax, kSums},
    {"black_scholes/black_scholes", black_scholes, kSums},
    {"fdtd/fdtd_hz", fdtd_hz, kSums},
    {"fdtd/fdtd_ex", fdtd_ex, kSums},
    {"fdtd/fdtd_ey", fdtd_ey, kSums},
    {"spmv/spmv", spmv, kSums},
    {"smith_waterman/smith_waterman", smith_waterman, 0},
    {"batched_gemm/batched_gemm", batched_gemm, kSums},
    {"persistent_gemm/persistent_gemm", gemm, kSums},
    {"flash_attention/flash_attention", flash_attention, kWeights},
    {"flash_attention/flash_attention_causal", flash_attention_causal, kWeights},
    {"decode_attention/decode_attention", decode_attention, kSums},
    {"decode_attention/combine_splits", combine_splits, kSums},
    {"stream_k/stream_k", stream_k, kSums},
    {"stream_k/stream_k_fixup", stream_k_fixup, kSums},
    {"histogram/histogram", histogram, 0},
    {"conv2d/conv2d", conv2d, kSums},
    {"stencil3d/stencil3d", stencil3d, kSums},
};

Case load(const Example& example, bool cuda) {
  const auto the_case = load_case(std::filesystem::path(SWIZZLEPERF_SOURCE_DIR) / "examples" /
                                  (std::string(example.file) + (cuda ? "_cuda.toml" : ".toml")));
  if (!the_case) throw std::runtime_error(describe(the_case.error()));
  return *the_case;
}

void expect_close(const Argument& argument, const std::vector<double>& got, const std::vector<double>& expected,
                  double tolerance) {
  if (tolerance > 0 && argument.dtype == DType::kF16) tolerance += kHalf;
  ASSERT_EQ(got.size(), expected.size()) << argument.name;
  for (size_t i = 0; i < got.size(); ++i) {
    const double allowed = tolerance * std::max(1.0, std::abs(expected[i]));
    // Written so that a NaN of the kernel fails.
    ASSERT_TRUE(std::isnan(expected[i]) || std::abs(got[i] - expected[i]) <= allowed)
        << argument.name << "[" << i << "] is " << got[i] << ", expected " << expected[i];
  }
}

class Examples : public testing::TestWithParam<std::tuple<Example, bool>> {};

TEST_P(Examples, ComputeWhatTheyClaim) {
  const auto& [example, cuda] = GetParam();
  const Case the_case = load(example, cuda);
  const KernelInfo kernel = analyse_source(the_case).value();
  const auto compiled = TracedKernel::compile(the_case, kernel, kernel.source);
  ASSERT_TRUE(compiled) << describe(compiled.error());
  int variants = 0;
  for (const std::string& variant : the_case.variants) {
    if (variant.rfind("verify", 0) != 0) continue;
    SCOPED_TRACE(variant);
    const CaseInstance instance = the_case.instance(variant).value();
    const auto run = run_grid(*compiled, instance, cuda ? 32 : 64);
    ASSERT_TRUE(run) << describe(run.error());
    EXPECT_FALSE(run->order_dependent) << run->order_dependence;
    const Outputs expected = example.reference(Inputs(instance));
    size_t output = 0;
    for (const Argument& argument : instance.arguments) {
      if (!argument.output) continue;
      ASSERT_LT(output, expected.size());
      expect_close(argument, decode(argument.dtype, run->outputs.at(output)), expected[output], example.tolerance);
      ++output;
    }
    EXPECT_EQ(output, expected.size());
    ++variants;
  }
  EXPECT_GT(variants, 0) << "no variant to check";
}

TEST_P(Examples, AreValidInEveryVariant) {
  const auto& [example, cuda] = GetParam();
  const Case the_case = load(example, cuda);
  EXPECT_EQ(the_case.dialect, cuda ? Dialect::kCuda : Dialect::kHip);
  for (const std::string& variant : the_case.variants) {
    const auto instance = the_case.instance(variant);
    EXPECT_TRUE(instance) << variant << ": " << describe(instance.error());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::Combine(testing::ValuesIn(kExamples), testing::Bool()),
                         [](const auto& instance) {
                           const std::string file = std::get<0>(instance.param).file;
                           return file.substr(file.find('/') + 1) + (std::get<1>(instance.param) ? "_cuda" : "_hip");
                         });

}  // namespace
}  // namespace swizzleperf

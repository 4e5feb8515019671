#include "verify/gate.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace swizzleperf {
namespace {

constexpr const char* kCase = R"(source = "k.hip"
kernel = "k"
dialect = "hip"
default = "main"
[launch]
grid = ["N"]
block = [64]
[variants.main]
N = 16
[variants.verify]
N = 6
[[args]]
name = "a"
dtype = "fp32"
shape = ["N * 64 + 1"]
init = "zeros"
output = true
)";

class Gate : public testing::Test {
 protected:
  Gate() : folder_(TemporaryFolder::create().value()) {}

  // The gate's report on the reversed order; `spoil` changes the rewritten source first.
  GateReport run(const std::string& source, const std::string& from = "", const std::string& to = "") {
    EXPECT_TRUE(write_file_atomic(folder_.path() / "k.hip", source));
    const auto the_case = parse_case(kCase, folder_.path() / "case.toml");
    if (!the_case) throw std::runtime_error(describe(the_case.error()));
    const auto instance = the_case->instance(the_case->default_variant).value();
    const auto info = analyse_source(*the_case).value();
    const auto map = SwizzleExpr::parse("pid = num_wgs - 1 - wg").value();
    const auto swizzle = std::get<Swizzle>(prove(map, instance.grid, {}).value());
    auto rewritten = rewrite_kernel(*the_case, info, swizzle).value();
    if (!from.empty()) rewritten.source.replace(rewritten.source.find(from), from.size(), to);
    const auto original = TracedKernel::compile(*the_case, info, source).value();
    return run_gate(*the_case, instance, info, original, swizzle, rewritten, 64).value();
  }

  TemporaryFolder folder_;
};

constexpr const char* kFill =
    "__global__ void k(float* a) {\n  a[blockIdx.x * 64 + threadIdx.x] = blockIdx.x + 1.0f;\n}\n";

TEST_F(Gate, ProvesARightPatch) {
  const auto report = run(kFill);
  EXPECT_EQ(report.verdict(), "proven");
}

TEST_F(Gate, RejectsAPatchThatComputesSomethingElse) {
  EXPECT_EQ(run(kFill, "+ 1.0f", "+ 2.0f").verdict().rfind("rejected", 0), 0u);
}

TEST_F(Gate, RejectsARemapThatIsWrongOnlyAtTheRealSize) {
  EXPECT_EQ(run(kFill, "sp_num_wgs - 1", "sp_num_wgs - 2").verdict().rfind("rejected", 0), 0u);
}

TEST_F(Gate, LeavesOrderDependentKernelsUnverified) {
  const auto report =
      run("__global__ void k(float* a) {\n  const int i = blockIdx.x * 64 + threadIdx.x;\n  a[i + 1] = a[i] + 1;\n}\n");
  EXPECT_TRUE(report.order_dependent);
  EXPECT_FALSE(report.passed());
}

}  // namespace
}  // namespace swizzleperf

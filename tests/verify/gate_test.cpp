#include "verify/gate.h"

#include <gmock/gmock.h>

#include "base/file.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kCase = R"(source = "k.hip"
kernel = "k"
default = "main"
[launch]
grid = ["N"]
block = [64]
[variants.main]
N = 16
[variants.verify]
N = 6
)";

std::string output_of(const std::string& dtype, const std::string& more = "") {
  return "[[args]]\nname = \"a\"\ndtype = \"" + dtype +
         "\"\nshape = [\"N * 64 + 1\"]\ninit = \"zeros\"\noutput = true\n" + more;
}

class Gate : public testing::Test {
 protected:
  Gate() : folder_(TemporaryFolder::create().value()) {}

  // The gate's report on the reversed order; `spoil` changes the edits of the rewrite first.
  GateReport run(const std::string& source, const std::function<void(std::vector<Edit>&)>& spoil = {},
                 const GateOptions& options = {}) {
    EXPECT_TRUE(write_file_atomic(folder_.path() / "k.hip", source));
    const auto the_case = parse_case(text_, folder_.path() / "case.toml");
    if (!the_case) throw std::runtime_error(describe(the_case.error()));
    const auto instance = the_case->instance(the_case->default_variant).value();
    const auto info = analyse_source(*the_case).value();
    const auto map = SwizzleExpr::parse(map_).value();
    const auto swizzle = std::get<Swizzle>(prove(map, instance.grid, {}).value());
    auto rewritten = rewrite_kernel(*the_case, info, swizzle).value();
    if (spoil) {
      spoil(rewritten.edits);
      rewritten = assemble(*the_case, info, rewritten.edits);
    }
    const auto original = TracedKernel::compile(*the_case, info, source).value();
    return run_gate(*the_case, instance, info, original, swizzle, rewritten, 64, options).value();
  }

  // Replaces a part of the inserted remap.
  static std::function<void(std::vector<Edit>&)> in_remap(const std::string& from, const std::string& to) {
    return [=](std::vector<Edit>& edits) {
      std::string& code = edits.front().after;
      ASSERT_NE(code.find(from), std::string::npos) << code;
      code.replace(code.find(from), from.size(), to);
    };
  }

  static const GateStep& step(const GateReport& report, const std::string& name) {
    for (const GateStep& each : report.steps) {
      if (each.name == name) return each;
    }
    throw std::runtime_error("no step " + name);
  }

  std::string map_ = "pid = num_wgs - 1 - wg";
  std::string text_ = kCase + output_of("fp32");
  TemporaryFolder folder_;
};

constexpr const char* kFill =
    "__global__ void k(float* a) {\n  a[blockIdx.x * 64 + threadIdx.x] = blockIdx.x + 1.0f;\n}\n";

TEST_F(Gate, ProvesARightPatch) {
  const auto report = run(kFill);
  EXPECT_EQ(report.verdict(), "proven");
  for (const GateStep& one : report.steps) EXPECT_FALSE(one.detail.empty()) << one.name;
}

// Numbers of the real grid in the map: on the verify grid it is none.
TEST_F(Gate, AMapOfTheRealGridOnlyIsReplacedOnTheVerifyGrid) {
  map_ = "pid = wg < 8 ? wg + 8 : wg - 8";
  const auto report = run(kFill);
  EXPECT_EQ(report.verdict(), "proven");
  EXPECT_THAT(step(report, "equal outputs, shuffled").detail, HasSubstr("by `pid = (wg * 5 + 3) % num_wgs`"));
  // A kernel whose results depend on where it runs: the tiles agree, launch for launch, but not in another order.
  const auto wrong =
      run("__device__ int count;\n__global__ void k(float* a) {\n"
          "  if (threadIdx.x == 0) a[blockIdx.x * 64] = atomicAdd(&count, 1);\n}\n",
          {}, {.allow_order_dependent = true});
  EXPECT_EQ(step(wrong, "equal outputs, shuffled").outcome, GateStep::Outcome::kNotDone);
}

TEST_F(Gate, ProvesHelpersThatReadTheBlockId) {
  const auto report =
      run("__device__ int id() { return blockIdx.x; }\n"
          "__global__ void k(float* a) {\n  a[blockIdx.x * 64 + threadIdx.x] = id() + 1.0f;\n}\n");
  EXPECT_EQ(report.verdict(), "proven");
}

// With any other stride the workgroups would write over each other.
TEST_F(Gate, StructsArePassedByValue) {
  text_ +=
      "[[args]]\nname = \"p\"\nfields = [{ name = \"on\", dtype = \"int8\", value = 1 }, { name = \"add\", dtype = "
      "\"fp64\", value = 0.5 }, { name = \"stride\", dtype = \"int32\", value = 64 }]\n";
  const auto report =
      run("struct P { char on; double add; int stride; };\n"
          "__global__ void k(float* a, P p) {\n  if (p.on) a[blockIdx.x * p.stride + threadIdx.x] = blockIdx.x + "
          "p.add;\n}\n");
  EXPECT_EQ(report.verdict(), "proven");
}

TEST_F(Gate, RejectsAPatchThatDoesMoreThanTheRemap) {
  const size_t at = std::string(kFill).find("+ 1.0f");
  const auto report = run(kFill, [&](auto& edits) { edits.push_back({at, "+ 1.0f", "+ 2.0f"}); });
  EXPECT_THAT(report.verdict(), StartsWith("rejected: patch"));
  EXPECT_EQ(step(report, "equal outputs").outcome, GateStep::Outcome::kFailed);
}

TEST_F(Gate, RejectsARemapThatIsWrongOnlyAtTheRealSize) {
  EXPECT_THAT(run(kFill, in_remap("sp_num_wgs - 1", "sp_num_wgs - 2")).verdict(), StartsWith("rejected"));
}

TEST_F(Gate, RejectsARemapThatIsWrongOnlyElsewhere) {
  const auto report = run(kFill, in_remap("sp_pid_x = ::blockIdx.x,", "sp_pid_x = ::blockIdx.x + 1,"));
  EXPECT_EQ(step(report, "equal outputs").outcome, GateStep::Outcome::kFailed);
}

TEST_F(Gate, LeavesOrderDependentKernelsUnverified) {
  const std::string source =
      "__global__ void k(float* a) {\n  const int i = blockIdx.x * 64 + threadIdx.x;\n  a[i + 1] = a[i] + 1;\n}\n";
  const auto report = run(source);
  EXPECT_TRUE(report.order_dependent);
  EXPECT_FALSE(report.passed());
  EXPECT_TRUE(run(source, {}, {.allow_order_dependent = true}).order_dependent);
  EXPECT_THAT(report.verdict(), StartsWith("unverified: order-dependent"));
  // One that waits for its neighbour does not end in another order: that is no fault of the map.
  const auto waits =
      run("__global__ void k(float* a) {\n  volatile float* flags = a;\n"
          "  if (blockIdx.x > 0) while (flags[(blockIdx.x - 1) * 64] == 0) {}\n"
          "  a[blockIdx.x * 64 + threadIdx.x] = 1;\n}\n");
  EXPECT_THAT(waits.verdict(), StartsWith("unverified: order-dependent"));
}

// Behind the large term the small ones are lost, before it they add up.
constexpr const char* kSum =
    "__global__ void k(float* a) {\n  atomicAdd(&a[threadIdx.x], blockIdx.x == 0 ? 1e8f : 1.0f);\n}\n";

TEST_F(Gate, AtomicSumsNeedATolerance) {
  const GateOptions options = {.allow_order_dependent = true};  // only the comparison is under test here
  const auto without = run(kSum, {}, options);
  EXPECT_FALSE(without.passed());
  EXPECT_THAT(without.verdict(), AllOf(StartsWith("unverified"), HasSubstr("`tolerance`")));
  text_ = kCase + output_of("fp32", "tolerance = 1e-5\n");
  const auto with = run(kSum, {}, options);
  EXPECT_EQ(with.verdict(), "proven");
  EXPECT_THAT(step(with, "equal outputs, map active").detail, HasSubstr("`a` to 1e-05"));
}

TEST_F(Gate, AToleranceDoesNotHideOtherDifferences) {
  text_ = kCase + output_of("fp32", "tolerance = 1000\n");
  const auto report = run(kFill, in_remap("sp_num_wgs - 1", "sp_num_wgs - 2"));
  EXPECT_THAT(report.verdict(), StartsWith("rejected"));
}

TEST_F(Gate, WithoutAVerifyVariantOrAnOutputNothingIsProven) {
  std::string text = text_;
  text_.replace(text_.find("[variants.verify]\nN = 6\n"), 24, "");
  EXPECT_THAT(run(kFill).verdict(), AllOf(StartsWith("unverified"), HasSubstr("verify")));
  text_ = text.replace(text.find("output = true\n"), 14, "");
  EXPECT_THAT(run(kFill).verdict(), AllOf(StartsWith("unverified"), HasSubstr("no output")));
}

}  // namespace
}  // namespace swizzleperf

// Bad input of every kind: one clear message, the documented exit code, nothing written.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

// A small kernel and a case for it, with parts that a test replaces.
struct SmallCase {
  std::string kernel = R"(#include <hip/hip_runtime.h>
__global__ void add(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] + 1.0f;
}
)";
  std::string name = "add";
  std::string grid = "ceil_div(N, 256)";
  std::string arguments = R"(
[[args]]
name = "a"
dtype = "fp32"
shape = ["N"]
init = { random = { seed = 1, low = -1, high = 1 } }
[[args]]
name = "b"
dtype = "fp32"
shape = ["N"]
init = "zeros"
output = true
[[args]]
name = "n"
dtype = "int32"
value = "N"
)";
};

class Folder {
 public:
  explicit Folder(const SmallCase& content) : folder_(TemporaryFolder::create()) {
    const std::string text = "name = \"small\"\nsource = \"kernel.hip\"\nkernel = \"" + content.name +
                             "\"\ndialect = \"hip\"\ndefault = \"main\"\n[launch]\ngrid = [\"" + content.grid +
                             "\"]\nblock = [256]\n[variants.main]\nN = 100000\n[variants.verify]\nN = 1000\n" +
                             content.arguments;
    EXPECT_TRUE(write_file_atomic(folder_->path() / "kernel.hip", content.kernel));
    EXPECT_TRUE(write_file_atomic(folder_->path() / "case.toml", text));
  }
  std::string path(const std::string& name) const { return (folder_->path() / name).string(); }
  size_t file_count() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_->path()), std::filesystem::directory_iterator()));
  }

 private:
  Expected<TemporaryFolder> folder_;
};

// Runs `optimize` with --patch on a case that must fail and checks that nothing was written.
ProcessResult optimize_expecting(int code, const SmallCase& content) {
  const Folder folder(content);
  auto result =
      run_program({"optimize", folder.path("case.toml"), "--gpu", "mi300x", "--patch", folder.path("out.patch")});
  EXPECT_EQ(result.exit_status, code) << result.err;
  EXPECT_EQ(folder.file_count(), 2U);
  return result;
}

TEST(BadInput, UnknownVerbsAndOptionsExitWith2) {
  EXPECT_EQ(run_program({}).exit_status, 2);
  EXPECT_EQ(run_program({"optimise"}).exit_status, 2);
  EXPECT_EQ(run_program({"gpus", "--no-such-option"}).exit_status, 2);
  EXPECT_EQ(run_program({"--help"}).exit_status, 0);
}

TEST(BadInput, AMissingCaseIsNamed) {
  const auto result = run_program({"optimize", "/no/such/case.toml", "--gpu", "mi300x"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("/no/such/case.toml"));
}

TEST(BadInput, AnUnknownGpuListsTheKnownOnes) {
  const Folder folder({});
  const auto result = run_program({"optimize", folder.path("case.toml"), "--gpu", "mi999"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("mi999"));
  EXPECT_THAT(result.err, HasSubstr("MI300X"));
}

TEST(BadInput, AnUnknownKernelListsThoseOfTheFile) {
  const auto result = optimize_expecting(2, {.name = "multiply"});
  EXPECT_THAT(result.err, HasSubstr("multiply"));
  EXPECT_THAT(result.err, HasSubstr("add"));
}

TEST(BadInput, AnUnknownVariantListsThoseOfTheCase) {
  const Folder folder({});
  const auto result = run_program({"predict", folder.path("case.toml"), "--gpu", "mi300x", "--variant", "huge"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("huge"));
  EXPECT_THAT(result.err, HasSubstr("main"));
}

TEST(BadInput, GridsOfZeroAndBeyondTheLimitAreRefused) {
  EXPECT_THAT(optimize_expecting(2, {.grid = "N - N"}).err, HasSubstr("grid"));
  EXPECT_THAT(optimize_expecting(2, {.grid = "N * 1000000"}).err, HasSubstr("grid"));
}

TEST(BadInput, AnArgumentMismatchIsNamed) {
  SmallCase content;
  content.arguments = content.arguments.substr(0, content.arguments.rfind("[[args]]"));
  EXPECT_THAT(optimize_expecting(2, content).err, HasSubstr("argument"));
}

TEST(BadInput, InvalidSourceShowsTheCompilersMessageAndLine) {
  SmallCase content;
  content.kernel =
      "#include <hip/hip_runtime.h>\n__global__ void add(const float* a, float* b, int n) {\n  b[0] = "
      "undefined_name;\n}\n";
  const auto result = optimize_expecting(2, content);
  EXPECT_THAT(result.err, HasSubstr("kernel.hip:3"));
  EXPECT_THAT(result.err, HasSubstr("undefined_name"));
}

TEST(BadInput, ReadingOutOfBoundsNamesArrayAndLine) {
  SmallCase content;
  content.kernel =
      "#include <hip/hip_runtime.h>\n__global__ void add(const float* a, float* b, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  b[i % n] = a[i + n];\n}\n";
  const auto result = optimize_expecting(2, content);
  EXPECT_THAT(result.err, HasSubstr("kernel.hip:4"));
  EXPECT_THAT(result.err, HasSubstr("out of bounds"));
}

TEST(BadInput, ACrashingKernelIsAMessage) {
  SmallCase content;
  content.kernel =
      "#include <hip/hip_runtime.h>\n__global__ void add(const float* a, float* b, int n) {\n"
      "  const int zero = n - 100000;\n  b[blockIdx.x] = (float)(n / zero);\n}\n";
  EXPECT_FALSE(optimize_expecting(2, content).err.empty());
}

TEST(BadInput, BarriersThatNeverMeetAreADeadlock) {
  SmallCase content;
  content.kernel =
      "#include <hip/hip_runtime.h>\n__global__ void add(const float* a, float* b, int n) {\n"
      "  if (threadIdx.x < 64) {\n    __syncthreads();\n    b[0] = a[0];\n  } else {\n    b[1] = a[1];\n    "
      "__syncthreads();\n    b[2] = a[2];\n    __syncthreads();\n  }\n}\n";
  const auto result = optimize_expecting(2, content);
  EXPECT_THAT(result.err, HasSubstr("barrier"));
}

TEST(BadInput, MapsWithFaultsShowThePosition) {
  const Folder folder({});
  for (const std::string map : {"pid = wg +", "pid = wg / (num_xcds - 8)", "pid = unknown_name",
                                "pid = 99999999999999999999", "q = 1", "pid = wg * 9223372036854775807"}) {
    const auto result = run_program({"predict", folder.path("case.toml"), "--gpu", "mi300x", "--map", map});
    EXPECT_EQ(result.exit_status, 2) << map;
    EXPECT_FALSE(result.err.empty()) << map;
    EXPECT_TRUE(result.out.empty()) << map;
  }
}

TEST(BadInput, AMapThatIsNoBijectionIsNeverWritten) {
  const Folder folder({});
  const auto result = run_program({"rewrite", folder.path("case.toml"), "--gpu", "mi300x", "--map", "pid = wg / 2",
                                   "--patch", folder.path("out.patch")});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("not a bijection"));
  EXPECT_EQ(folder.file_count(), 2U);
}

TEST(BadInput, AnUnwritablePatchIsAnError) {
  const Folder folder({});
  const auto result = run_program({"rewrite", folder.path("case.toml"), "--gpu", "mi300x", "--map",
                                   "pid = num_wgs - 1 - wg", "--patch", "/no/such/folder/p"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("/no/such/folder/p"));
}

}  // namespace
}  // namespace swizzleperf

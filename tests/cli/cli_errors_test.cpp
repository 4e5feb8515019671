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

// What is wrong with the case file or with the kernel's parameters, and a part of the one message about it.
struct Broken {
  const char* from;
  const char* to;
  const char* says;
};

class BrokenCase : public testing::TestWithParam<Broken> {};

TEST_P(BrokenCase, EveryVerbRefusesItWithOneMessageAndWritesNothing) {
  const Broken& broken = GetParam();
  const Folder folder({});
  for (const std::string file : {"case.toml", "kernel.hip"}) {
    std::string text = read_file(folder.path(file)).value();
    const size_t at = text.find(broken.from);
    if (at == std::string::npos) continue;
    ASSERT_TRUE(write_file_atomic(folder.path(file), text.replace(at, std::string(broken.from).size(), broken.to)));
    break;
  }
  const std::string source = read_file(folder.path("kernel.hip")).value();
  for (const auto& verb : std::vector<std::vector<std::string>>{
           {"analyze"},
           {"predict", "--map", "pid = wg"},
           {"optimize", "--patch", folder.path("p"), "--in-place"},
           {"rewrite", "--map", "pid = num_wgs - 1 - wg", "--patch", folder.path("p"), "--in-place"}}) {
    std::vector<std::string> command = verb;
    command.insert(command.begin() + 1, {folder.path("case.toml"), "--gpu", "mi300x"});
    const auto result = run_program(command);
    EXPECT_EQ(result.exit_status, 2) << verb[0] << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr(broken.says)) << verb[0];
    EXPECT_EQ(result.err.find("error"), result.err.rfind("error:")) << "more than one message: " << result.err;
    EXPECT_TRUE(result.out.empty()) << result.out;
    EXPECT_EQ(folder.file_count(), 2U);
    EXPECT_EQ(read_file(folder.path("kernel.hip")).value(), source);
  }
}

INSTANTIATE_TEST_SUITE_P(
    CaseFile, BrokenCase,
    testing::Values(Broken{"[launch]", "[launch", "case.toml:6"}, Broken{"kernel = \"add\"\n", "", "'kernel'"},
                    Broken{"kernel.hip", "absent.hip", "absent.hip"}, Broken{"dialect = ", "dialct = ", "'dialect'?"},
                    Broken{"block = [256]", "block = [0]", "the block"},
                    Broken{"block = [256]", "block = [2048]", "the block"},
                    Broken{"ceil_div(N, 256)", "ceil_div(N, 0)", "case.toml:7"},
                    Broken{"ceil_div(N, 256)", "N - N", "the grid"}, Broken{"ceil_div(N, 256)", "N * N", "the grid"},
                    Broken{"ceil_div(N, 256)", "N * 9223372036854775807", "overflow"},
                    Broken{"ceil_div(N, 256)", "99999999999999999999", "64 bits"},
                    Broken{"ceil_div(N, 256)", "ceil_div(Q, 256)", "'Q'"},
                    Broken{"dtype = \"int32\"", "dtype = \"int8\"", "int8 does not hold it"},
                    Broken{"low = -1", "low = -inf", "finite"}, Broken{"low = -1", "low = 2", "below"},
                    Broken{"shape = [\"N\"]", "shape = [\"N - N\"]", "'a'"},
                    Broken{"init = \"zeros\"", "init = { npy = \"absent.npy\" }", "absent.npy"},
                    Broken{"output = true", "output = 1", "'output'"},
                    Broken{"name = \"small\"", "name = \"\xC3\xA9\"", "ASCII"}));
INSTANTIATE_TEST_SUITE_P(
    Kernel, BrokenCase,
    testing::Values(Broken{"void add(", "void ad(", "did you mean 'ad'?"},
                    Broken{"dtype = \"fp32\"", "dtype = \"fp16\"", "argument mismatch"},
                    Broken{"dtype = \"int32\"", "dtype = \"int64\"", "argument mismatch"},
                    Broken{"float* b, int n", "float* b, int n, int m", "takes 4 arguments, the case has 3"},
                    Broken{"value = \"N\"", "shape = [\"N\"]", "is a buffer"},
                    Broken{"+ 1.0f;", "+ nothing;", "kernel.hip:4"}, Broken{"+ 1.0f;", "+ 1.0f", "kernel.hip:4"},
                    Broken{"#include <hip/hip_runtime.h>", "#include \"absent.h\"", "kernel.hip:1"},
                    Broken{"__global__ void add", "void add", "no kernel `add`"}));

TEST(BadInput, AKernelInAHeaderNamesTheHeader) {
  SmallCase content;
  const Folder folder(content);
  ASSERT_TRUE(write_file_atomic(folder.path("kernel.h"), content.kernel));
  ASSERT_TRUE(write_file_atomic(folder.path("kernel.hip"), "#include \"kernel.h\"\n"));
  const auto result = run_program({"analyze", folder.path("case.toml"), "--gpu", "mi300x"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("stands in an included file"));
  EXPECT_THAT(result.err, HasSubstr("kernel.h as the case's source"));
}

TEST(BadInput, ABackupInTheWayLeavesNoPatchEither) {
  const Folder folder({});
  ASSERT_TRUE(write_file_atomic(folder.path("kernel.hip.orig"), "old"));
  const auto result = run_program({"rewrite", folder.path("case.toml"), "--gpu", "mi300x", "--map",
                                   "pid = num_wgs - 1 - wg", "--patch", folder.path("p"), "--in-place"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("backup exists already"));
  EXPECT_EQ(folder.file_count(), 3U);
  EXPECT_EQ(read_file(folder.path("kernel.hip.orig")).value(), "old");
}

TEST(BadInput, OutputsThatCannotBeWrittenLeaveNothing) {
  const Folder folder({});
  const std::string source = read_file(folder.path("kernel.hip")).value();
  std::filesystem::create_directories(folder.path("taken"));
  ASSERT_TRUE(write_file_atomic(folder.path("file"), ""));
  for (const std::string& patch : {folder.path("taken"), folder.path("file/p"), std::string("/no/such/folder/p")}) {
    const auto result = run_program({"rewrite", folder.path("case.toml"), "--gpu", "mi300x", "--map",
                                     "pid = num_wgs - 1 - wg", "--patch", patch, "--in-place"});
    EXPECT_EQ(result.exit_status, 2) << patch << result.err;
    EXPECT_THAT(result.err, HasSubstr(patch));
    EXPECT_EQ(folder.file_count(), 4U);
    EXPECT_EQ(read_file(folder.path("kernel.hip")).value(), source);
  }
}

}  // namespace
}  // namespace swizzleperf

// `init`: a case to start from, for every example kernel; and that the program accepts it once it is filled in.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "workload/case.h"

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from << "\n" << text;
  return text.replace(text.find(from), from.size(), to);
}

// The arguments that init reads off a kernel are those that the example's own case lists.
TEST(Init, EveryExampleKernelGetsItsArguments) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source_path("examples"))) {
    // Triton's cases are captured by swizzleperf.triton, init does not make them.
    if (entry.path().extension() != ".toml" || entry.path().parent_path().filename() == "triton") continue;
    const auto own = load_case(entry.path());
    ASSERT_TRUE(own) << describe(own.error());
    if (own->declared != nullptr || !own->defines.empty() || !own->include_folders.empty()) continue;
    const auto result = run_program({"init", own->source.string(), "--kernel", own->kernel});
    ASSERT_EQ(result.exit_status, 0) << entry.path() << result.err;
    const auto made =
        parse_case(replaced(result.out, "source = ", "source = \"" + own->source.string() + "\"  # "), entry.path());
    ASSERT_TRUE(made) << describe(made.error()) << result.out;
    ASSERT_EQ(made->arguments.size(), own->arguments.size()) << entry.path();
    for (size_t i = 0; i < own->arguments.size(); ++i) {
      EXPECT_EQ(made->arguments[i].buffer, own->arguments[i].buffer) << entry.path() << " argument " << i + 1;
      if (!own->arguments[i].structure)
        EXPECT_EQ(to_string(made->arguments[i].dtype), to_string(own->arguments[i].dtype))
            << entry.path() << " argument " << i + 1;
    }
    EXPECT_TRUE(made->instance("main")) << entry.path();
    EXPECT_TRUE(made->instance("verify")) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(Init, AnalyzeAcceptsTheCaseOnceItIsFilledIn) {
  const CaseFolder folder("elementwise");
  fs::remove(folder.path("elementwise.toml"));
  const std::string file = folder.path("new.toml").string();
  const auto made = run_program({"init", folder.path("elementwise.hip").string(), "-o", file});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  folder.write("new.toml", replaced(folder.read("new.toml"), "ceil_div(N, 256)", "ceil_div(N, 1024)"));
  const auto analysed = run_program({"analyze", file, "--gpu", "mi300x", "--json"});
  ASSERT_EQ(analysed.exit_status, 0) << analysed.err;
  EXPECT_EQ(Json::parse(analysed.out)["grid"][0], 1024);
}

TEST(Init, ATwoDimensionalKernelFilledIn) {
  const CaseFolder folder("transpose");
  const std::string file = folder.path("new.toml").string();
  const auto own = load_case(folder.path("transpose.toml"));
  ASSERT_TRUE(own);
  ASSERT_EQ(run_program({"init", own->source.string(), "--kernel", own->kernel, "-o", file}).exit_status, 0);
  const std::string text = folder.read("transpose.toml");
  // Everything that init cannot know comes from the example: the launch, the sizes and the arguments' extents.
  const std::string made = folder.read("new.toml");
  const std::string header = replaced(made.substr(0, made.find("[launch]")), "default = \"main\"",
                                      "default = \"" + own->default_variant + "\"");
  folder.write("new.toml", header + text.substr(text.find("[launch]")));
  const auto analysed = run_program({"analyze", file, "--gpu", "h200", "--variant", "verify", "--json"});
  EXPECT_EQ(analysed.exit_status, 0) << analysed.err;
}

TEST(Init, SeveralKernelsStructsAndTemplates) {
  const CaseFolder folder("elementwise");
  folder.write("many.hip",
               "struct Shape { int rows; double scale; };\n"
               "namespace n { __global__ void one(const float4* a, int* b, Shape s) {} }\n"
               "template <class T, int N> __global__ void two(const T* a, unsigned char* b, double c, short d) {}\n");
  const std::string file = folder.path("many.hip").string();
  const auto unclear = run_program({"init", file});
  EXPECT_EQ(unclear.exit_status, 2);
  EXPECT_THAT(unclear.err, HasSubstr("choose with --kernel: n::one, two"));
  const auto one = run_program({"init", file, "--kernel", "one"});
  ASSERT_EQ(one.exit_status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("kernel = \"n::one\""));
  EXPECT_THAT(one.out, HasSubstr("shape = [\"N\", 4]"));
  EXPECT_THAT(one.out, HasSubstr("fields = ["));
  const auto two = run_program({"init", file, "--kernel", "two<float, 4>"});
  ASSERT_EQ(two.exit_status, 0) << two.err;
  EXPECT_THAT(two.out, HasSubstr("kernel = \"two<float, 4>\""));
  for (const char* dtype : {"\"fp32\"", "\"uint8\"", "\"fp64\"", "\"int16\""})
    EXPECT_THAT(two.out, HasSubstr(std::string("dtype = ") + dtype));
  const auto slip = run_program({"init", file, "--kernel", "on"});
  EXPECT_EQ(slip.exit_status, 2);
  EXPECT_THAT(slip.err, HasSubstr("n::one, two"));
}

TEST(Init, BadInputWritesNothing) {
  const CaseFolder folder("elementwise");
  const size_t before = folder.file_count();
  folder.write("empty.hip", "__device__ void f() {}\n");
  folder.write("broken.hip", "__global__ void k(float* a) {\n  a[0] = nothing;\n}\n");
  const std::string out = folder.path("out.toml").string();
  for (const auto& [source, says] : std::vector<std::pair<std::string, std::string>>{
           {"absent.hip", "does not exist"}, {"empty.hip", "no __global__ function"}, {"broken.hip", "broken.hip:2"}}) {
    const auto result = run_program({"init", folder.path(source).string(), "-o", out});
    EXPECT_EQ(result.exit_status, 2) << source;
    EXPECT_THAT(result.err, HasSubstr(says));
  }
  const auto exists =
      run_program({"init", folder.path("elementwise.hip").string(), "-o", folder.path("elementwise.toml").string()});
  EXPECT_EQ(exists.exit_status, 2);
  EXPECT_THAT(exists.err, HasSubstr("exists already"));
  EXPECT_EQ(run_program({"init", folder.path("elementwise.hip").string(), "-o", "/no/such/folder/x.toml"}).exit_status,
            2);
  EXPECT_EQ(folder.file_count(), before + 2);
}

}  // namespace
}  // namespace swizzleperf

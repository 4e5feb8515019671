// Many sizes, parts of GPUs, and explanations, as a user asks for them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::string kGemm = source_path("examples/gemm/gemm.toml");

Json run_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const auto result = run_program(arguments);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  return Json::parse(result.out, nullptr, false);
}

TEST(Sweep, OneMapForAllSizesIsProvenOnEach) {
  const Json json = run_json(
      {"optimize", kGemm, "--gpu", "mi300x", "--size", "K=512", "--sweep", "M=512,2048", "--sweep", "N=1024:2048:512"});
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["verdict"], "apply");
  ASSERT_EQ(json["points"].size(), 6U);
  EXPECT_EQ(json["points"][1]["size"], "M=512, N=1536");
  EXPECT_EQ(json["points"][1]["grid"], Json({12, 4, 1}));
  // What the tool applies is a bijection on every launch grid of the sweep, by its own check.
  for (const Json& point : json["points"]) {
    const std::string grid =
        std::to_string(point["grid"][0].get<int>()) + "," + std::to_string(point["grid"][1].get<int>());
    EXPECT_EQ(run_program({"check", "--map", json["map"], "--grid", grid, "--gpu", "mi300x"}).exit_status, 0) << grid;
    EXPECT_THAT(point["effect"].get<std::string>(), ::testing::AnyOf("helps", "nothing", "hurts"));
  }
}

TEST(Sweep, MalformedRangesAreRefusedWithAdvice) {
  for (const char* bad : {"M", "M=", "=1:2:3", "M=1:2", "M=4:2:1", "M=1:9:0", "M=a,b", "M=1:100000:1", "M=-1,2"}) {
    const auto result = run_program({"optimize", kGemm, "--gpu", "mi300x", "--sweep", bad});
    EXPECT_EQ(result.exit_status, 2) << bad;
    EXPECT_THAT(result.err, HasSubstr("--sweep")) << bad;
  }
  const auto twice = run_program({"optimize", kGemm, "--gpu", "mi300x", "--sweep", "M=1,2", "--sweep", "M=3,4"});
  EXPECT_EQ(twice.exit_status, 2);
  const auto unknown = run_program({"optimize", kGemm, "--gpu", "mi300x", "--sweep", "Q=1,2"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'Q'"));
}

TEST(Size, TakesThePlaceOfTheVariantsOwn) {
  const Json json =
      run_json({"predict", kGemm, "--gpu", "mi300x", "--size", "M=1024", "--size", "N=512", "--size", "K=64"});
  EXPECT_EQ(json["grid"], Json({4, 8, 1}));
  for (const char* bad : {"M", "M=0", "M=x", "M=99999999999999999999", "Z=4"}) {
    EXPECT_EQ(run_program({"predict", kGemm, "--gpu", "mi300x", "--size", bad}).exit_status, 2) << bad;
  }
}

TEST(Partition, OneXcdOfAnMi300xIsOneDomain) {
  const Json json =
      run_json({"predict", kGemm, "--gpu", "mi300x:cpx", "--size", "M=1024", "--size", "N=512", "--size", "K=64"});
  EXPECT_EQ(json["baseline"]["domains"].size(), 1U);
  EXPECT_EQ(json["gpu"], "MI300X:cpx");
  EXPECT_EQ(run_program({"predict", kGemm, "--gpu", "mi300x:xyz"}).exit_status, 2);
}

TEST(Explain, SaysHowOftenAndByHowManyXcdsAnArrayIsFetched) {
  const std::vector<std::string> analyze = {"analyze", kGemm, "--gpu", "mi300x", "--size", "K=256", "--explain"};
  const auto text = run_program(analyze);
  EXPECT_EQ(text.exit_status, 0);
  EXPECT_THAT(text.out, HasSubstr("a line is fetched"));
  EXPECT_THAT(text.out, HasSubstr("channels repeat every 4096 B"));
  const Json json = run_json(analyze);
  EXPECT_GT(json["traffic"][0]["fetches_a_line"], 1.0);
  EXPECT_LE(json["traffic"][0]["domains_a_line"], 8.0);
}

TEST(Explain, NotesMapsThatChangeNothing) {
  const auto result = run_program(
      {"analyze", kGemm, "--gpu", "mi300x", "--size", "K=64", "--explain", "--map", "pid = wg < num_wgs ? wg : 0"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, HasSubstr("it changes nothing"));
}

TEST(Analyze, SaysWhenAKernelSwizzlesAlready) {
  const CaseFolder folder("gemm");
  const std::string source = folder.read("gemm.hip");
  ASSERT_EQ(run_program({"rewrite", folder.path("gemm.toml").string(), "--gpu", "mi300x", "--variant", "4096", "--map",
                         "g = wg / 128 * 4; m = wg % 128; pid_x = m / 4; pid_y = g + m % 4", "--in-place"})
                .exit_status,
            0);
  const auto result =
      run_program({"analyze", folder.path("gemm.toml").string(), "--gpu", "mi300x", "--variant", "4096"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("grouped(4): the kernel swizzles already"));
}

}  // namespace
}  // namespace swizzleperf

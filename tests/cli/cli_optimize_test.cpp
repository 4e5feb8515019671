// The main job end to end on the examples.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json optimize_json(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"optimize"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.emplace_back("--json");
  const auto result = run_program(all);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  return Json::parse(result.out, nullptr, false);
}

TEST(Optimize, GemmGetsAProvenPatchThatCutsTraffic) {
  const Json json = optimize_json({source_path("examples/gemm/gemm.toml"), "--gpu", "mi300x"});
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["verdict"], "apply");
  EXPECT_TRUE(json["gate"]["passed"].get<bool>());
  EXPECT_THAT(json["patch"].get<std::string>(), HasSubstr("::blockIdx"));
  const Json& best = json["candidates"][0]["prediction"];
  EXPECT_GT(best["l2_hit_rate"], json["baseline"]["l2_hit_rate"]);
  EXPECT_LE(best["l2_hit_rate"], best["ceiling"]);
}

TEST(Optimize, ElementwiseIsNoGain) {
  const Json json = optimize_json({source_path("examples/elementwise/elementwise.toml"), "--gpu", "mi300x"});
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["verdict"], "no gain");
  EXPECT_TRUE(json["patch"].is_null());
}

TEST(Optimize, InPlaceKeepsABackupAndRefusesASecondTime) {
  const CaseFolder folder("gemm");
  const std::string before = folder.read("gemm.hip");
  const std::vector<std::string> command = {
      "optimize", folder.path("gemm.toml").string(), "--gpu", "mi300x", "--variant", "mlp", "--in-place"};
  ASSERT_EQ(run_program(command).exit_status, 0);
  EXPECT_EQ(folder.read("gemm.hip.orig"), before);
  const std::string after = folder.read("gemm.hip");
  EXPECT_NE(after, before);
  std::filesystem::remove(folder.path("gemm.hip.orig"));
  const auto again = run_program({"rewrite", folder.path("gemm.toml").string(), "--gpu", "mi300x", "--variant", "mlp",
                                  "--map", "pid = num_wgs - 1 - wg", "--in-place"});
  EXPECT_EQ(folder.read("gemm.hip"), after);
  EXPECT_FALSE(std::filesystem::exists(folder.path("gemm.hip.orig")));
  EXPECT_EQ(again.exit_status, 2);
}

TEST(Optimize, ThePatchAppliesWithPatch) {
  const CaseFolder folder("gemm");
  const std::string patch = folder.path("out.patch").string();
  ASSERT_EQ(run_program({"optimize", folder.path("gemm.toml").string(), "--gpu", "mi300x", "--variant", "mlp",
                         "--patch", patch})
                .exit_status,
            0);
  const auto applied = run_process({"git", "apply", patch}, {}, {}, folder.path(""));
  ASSERT_TRUE(applied);
  EXPECT_TRUE(applied->ok()) << applied->err;
  EXPECT_THAT(folder.read("gemm.hip"), HasSubstr("::blockIdx"));
}

TEST(Predict, JsonHasTheDocumentedFields) {
  const auto result =
      run_program({"predict", source_path("examples/gemm/gemm.toml"), "--gpu", "mi300x", "--variant", "4096", "--map",
                   "pid_x = wg_x; pid_y = wg_y", "--map", "pid_x = 0; pid_y = 0", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["predictions"].size(), 2U);
  for (const char* field : {"l2_hit_rate", "dram_read_bytes", "dram_write_bytes", "llc_hit_rate", "balance", "time_ms",
                            "ceiling", "domains"}) {
    EXPECT_TRUE(json["baseline"].contains(field)) << field;
    EXPECT_TRUE(json["predictions"][0].contains(field)) << field;
  }
  EXPECT_EQ(json["predictions"][0]["l2_hit_rate"], json["baseline"]["l2_hit_rate"]);
  EXPECT_FALSE(json["predictions"][1]["bijective"].get<bool>());
  EXPECT_EQ(json["baseline"]["domains"].size(), 8U);
}

}  // namespace
}  // namespace swizzleperf

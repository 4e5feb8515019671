// `analyze` and `predict` on a small case whose figures are known by counting.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::vector<std::string> on_stencil(const std::string& verb, const std::string& gpu,
                                    std::vector<std::string> more = {}) {
  more.insert(more.begin(), {verb, source_path("examples/stencil/stencil.toml"), "--gpu", gpu, "--variant", "verify"});
  return more;
}

Json json_of(std::vector<std::string> command) {
  command.emplace_back("--json");
  const auto result = run_program(command);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(result.err.empty()) << result.err;
  return Json::parse(result.out, nullptr, false);
}

TEST(Predict, TheLineEngineSaysThatItWasAskedFor) {
  for (const std::string gpu : {"mi300x", "h200"}) {
    const Json lines = json_of(on_stencil("predict", gpu, {"--engine", "line"}));
    EXPECT_EQ(lines["engine"]["name"], "line");
    EXPECT_EQ(lines["engine"]["reason"], "asked for");
    const Json objects = json_of(on_stencil("predict", gpu));
    EXPECT_EQ(objects["engine"]["name"], "object");
    EXPECT_EQ(objects["engine"]["reason"], "");
    // The case is small: nothing is evicted. On the H200 lines have their own home sides, objects halves on both.
    EXPECT_EQ(lines["baseline"]["dram_write_bytes"], objects["baseline"]["dram_write_bytes"]);
    EXPECT_NEAR(lines["baseline"]["l2_hit_rate"].get<double>(), objects["baseline"]["l2_hit_rate"].get<double>(),
                0.005);
  }
}

TEST(Predict, AnUnknownEngineIsRefused) {
  const auto result = run_program(on_stencil("predict", "mi300x", {"--engine", "exact"}));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("--engine"));
}

TEST(Analyze, CountsWhatTheKernelTouches) {
  for (const std::string gpu : {"mi300x", "h200"}) {
    const Json json = json_of(on_stencil("analyze", gpu));
    EXPECT_EQ(json["case"], "stencil");
    EXPECT_EQ(json["variant"], "verify");
    EXPECT_EQ(json["kernel"], "stencil");
    EXPECT_EQ(json["grid"], Json({7, 11, 1}));
    EXPECT_EQ(json["reuse"]["tiles"], 77);
    const Json& in = json["reuse"]["arrays"][0];
    const Json& out = json["reuse"]["arrays"][1];
    EXPECT_TRUE(in["loaded"].get<bool>());
    EXPECT_FALSE(in["stored"].get<bool>());
    EXPECT_TRUE(out["stored"].get<bool>());
    // Every element is read, by its own tile and as a halo of its neighbours; and written once.
    EXPECT_EQ(in["bytes"], out["bytes"]);
    EXPECT_GE(in["touched_bytes"], in["bytes"]);
    EXPECT_GT(in["requested_bytes"], in["bytes"]);
    EXPECT_GT(json["ceiling"], 0.0);
    EXPECT_LT(json["ceiling"], 1.0);
  }
}

TEST(Analyze, TheTextNamesKernelGridAndCeiling) {
  const auto result = run_program(on_stencil("analyze", "mi300x"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  for (const char* part : {"stencil (verify) on MI300X", "grid 7x11", "Ceiling of the L2 hit rate"})
    EXPECT_THAT(result.out, HasSubstr(part));
}

TEST(Predict, TheLaunchOrderIsTheIdentityAndTrafficIsAtLeastCompulsory) {
  for (const std::string gpu : {"mi300x", "h200"}) {
    const Json json = json_of(on_stencil("predict", gpu, {"--map", "pid = wg", "--map", "pid = num_wgs - 1 - wg"}));
    ASSERT_EQ(json["predictions"].size(), 2U);
    const Json& baseline = json["baseline"];
    EXPECT_EQ(json["predictions"][0]["l2_hit_rate"], baseline["l2_hit_rate"]);
    EXPECT_EQ(json["predictions"][0]["dram_read_bytes"], baseline["dram_read_bytes"]);
    for (const Json& one : json["predictions"]) {
      EXPECT_TRUE(one["bijective"].get<bool>());
      EXPECT_LE(one["l2_hit_rate"], one["ceiling"]);
      EXPECT_GE(one["dram_read_bytes"], 132000.0);
      EXPECT_GE(one["dram_write_bytes"], 132000.0);
    }
  }
}

}  // namespace
}  // namespace swizzleperf

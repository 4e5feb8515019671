// Declared cases through the program: predicted, analysed, optimised without a patch, and never rewritten.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

const std::string kTranspose = source_path("validation/mi300x/transpose.jul.toml");
const std::string kSpmv = source_path("validation/mi300x/spmv.aug.toml");

TEST(DeclaredCase, PredictFollowsMapsThatAreNoBijectionAndSaysSo) {
  const auto json = run_program({"predict", kTranspose, "--gpu", "mi300x", "--map", "pid_x = wg_x; pid_y = wg_y % 256",
                                 "--map", "pid_x = wg_x / 2; pid_y = wg_y * 2", "--json"});
  ASSERT_EQ(json.exit_status, 0) << json.err;
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_TRUE(parsed["predictions"][0]["bijective"]);
  EXPECT_FALSE(parsed["predictions"][1]["bijective"]);
  EXPECT_EQ(parsed["predictions"][0]["l2_hit_rate"], parsed["baseline"]["l2_hit_rate"]);
  const auto text = run_program({"predict", kTranspose, "--gpu", "mi300x", "--map", "pid_x = 0; pid_y = 0"});
  EXPECT_THAT(text.out, HasSubstr("NOT A BIJECTION"));
}

TEST(DeclaredCase, OptimizeGivesAMapAndSaysThatThereIsNoSource) {
  const auto result = run_program({"optimize", kSpmv, "--gpu", "mi300x", "--evaluations", "20"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("verdict: unverified"));
  EXPECT_THAT(result.out, HasSubstr("has no source: nothing is patched"));
  EXPECT_THAT(result.out, HasSubstr("\nmap: "));
}

TEST(DeclaredCase, AnalyzeWorksAndRewriteRefuses) {
  const auto analysed = run_program({"analyze", kTranspose, "--gpu", "mi300x"});
  EXPECT_EQ(analysed.exit_status, 0) << analysed.err;
  EXPECT_THAT(analysed.out, HasSubstr("declared by the case"));
  const auto rewritten = run_program({"rewrite", kTranspose, "--gpu", "mi300x", "--map", "pid_x = wg_x; pid_y = wg_y"});
  EXPECT_EQ(rewritten.exit_status, 2);
  EXPECT_THAT(rewritten.err, HasSubstr("has no source to rewrite"));
}

}  // namespace
}  // namespace swizzleperf

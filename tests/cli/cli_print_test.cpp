// `print`: proven maps as code; nothing is printed for a map that is no bijection.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBalanced = "pid = wg % num_xcds * (num_wgs / num_xcds) + wg / num_xcds";

TEST(Print, TritonCodeIsGuardedByEveryProvenGrid) {
  const auto result = run_program({"print", "--target", "triton", "--map", kBalanced, "--xcds", "8", "--grid", "64",
                                   "--also-grid", "128", "--prefix", "q_"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  for (const char* part : {"q_wg_x = tl.program_id(0)\n", "q_grid_x == 64", "q_grid_x == 128", "q_pid_x = "})
    EXPECT_THAT(result.out, HasSubstr(part));
  EXPECT_THAT(result.out, Not(HasSubstr("sp_")));
}

TEST(Print, JsonCarriesHelpersAndCost) {
  const auto result = run_program({"print", "--json", "--target", "triton", "--grid", "8,4", "--map",
                                   "pid_x = hilbert_x(wg, grid_y, grid_x); pid_y = hilbert_y(wg, grid_y, grid_x)"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_THAT(json["helpers"].get<std::string>(), HasSubstr("@triton.jit\ndef sp_hilbert_x("));
  EXPECT_EQ(json["bits"], 32);
  EXPECT_GT(json["operations"], 10);
  EXPECT_EQ(json["grid"], nlohmann::json({8, 4, 1}));
}

TEST(Print, ASizeIsWhatTheMapNames) {
  const auto result = run_program(
      {"print", "--target", "c", "--grid", "12", "--map", "pid = wg / W + wg % W * (num_wgs / W)", "--size", "W=3"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sp_map("));
}

TEST(Print, AMapThatIsNoBijectionOnAnyOfTheGridsPrintsNothing) {
  for (const std::vector<std::string>& grids :
       std::vector<std::vector<std::string>>{{"--grid", "63"}, {"--grid", "64", "--also-grid", "63"}}) {
    std::vector<std::string> command = {"print", "--target", "hip", "--map", kBalanced, "--xcds", "8"};
    command.insert(command.end(), grids.begin(), grids.end());
    const auto result = run_program(command);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("not a bijection on the grid 63"));
  }
}

TEST(Print, BadInputIsNamed) {
  for (const auto& [more, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--grid", "64", "--prefix", "1x"}, "--prefix"},
           {{"--grid", "64", "--also-grid", "none"}, "none"},
           {{"--grid", "64", "--size", "num_xcds=4"}, "figure of the GPU"},
           {{"--grid", "64", "--size", "M"}, "no size"}}) {
    std::vector<std::string> command = {"print", "--target", "triton", "--map", kBalanced, "--xcds", "8"};
    command.insert(command.end(), more.begin(), more.end());
    const auto result = run_program(command);
    EXPECT_EQ(result.exit_status, 2) << says;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(says));
  }
}

}  // namespace
}  // namespace swizzleperf

// `check`: the verdicts of both case files, faults, and what is printed.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

Json check_json(std::vector<std::string> arguments, int code) {
  arguments.insert(arguments.begin(), "check");
  arguments.emplace_back("--json");
  const auto result = run_program(arguments);
  EXPECT_EQ(result.exit_status, code) << result.err;
  return Json::parse(result.out, nullptr, false);
}

Json expected_cases(const std::string& name) {
  return Json::parse(std::ifstream(source_path("tests/data/cases/" + name)));
}

TEST(Check, PublishedMapsGetTheStatedVerdicts) {
  const Json expected = expected_cases("published_maps.json");
  const Json found = check_json({"--file", source_path("tests/data/cases/published_maps.json")}, 1);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]["id"], expected[i]["id"]);
    EXPECT_EQ(found[i]["bijective"], expected[i]["bijective"]) << found[i]["id"];
    EXPECT_EQ(found[i]["distinct"], expected[i]["distinct_tiles"]) << found[i]["id"];
    EXPECT_EQ(found[i]["out_of_range"], expected[i]["out_of_range"]) << found[i]["id"];
  }
}

TEST(Check, ReportedMapsGetTheStatedVerdicts) {
  const Json expected = expected_cases("reported_maps.json");
  const Json found = check_json({"--file", source_path("tests/data/cases/reported_maps.json")}, 1);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]["id"], expected[i]["id"]);
    for (const char* field : {"bijective", "distinct", "missing", "duplicated", "out_of_range", "identity"})
      EXPECT_EQ(found[i][field], expected[i]["expect"][field]) << found[i]["id"] << " " << field;
  }
}

TEST(Check, AFaultIsItsCasesOwnAndTheOthersAreChecked) {
  const CaseFolder folder("elementwise");
  folder.write("maps.json", R"json([{"id": "zero", "map": "pid = 1 / (wg - 3)", "grid": [10], "num_xcds": 8},
    {"id": "good", "map": "pid = num_wgs - 1 - wg", "grid": [10], "num_xcds": 8},
    {"id": "syntax", "map": "pid = wg +", "grid": [10], "num_xcds": 8},
    {"id": "huge", "map": "pid = wg * 9223372036854775807", "grid": [4, 4], "num_xcds": 8},
    {"id": "name", "map": "pid = wg + M", "grid": [4, 4], "num_xcds": 8}])json");
  const Json found = check_json({"--file", folder.path("maps.json").string()}, 1);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_THAT(found[0]["fault"].get<std::string>(), HasSubstr("zero:1:9: error: division by zero for workgroup 3"));
  EXPECT_TRUE(found[1]["bijective"].get<bool>());
  EXPECT_FALSE(found[1].contains("fault"));
  EXPECT_THAT(found[2]["fault"].get<std::string>(), HasSubstr("syntax:1:11"));
  EXPECT_THAT(found[3]["fault"].get<std::string>(), HasSubstr("overflow"));
  EXPECT_THAT(found[4]["fault"].get<std::string>(), HasSubstr("unknown name 'M'"));
  for (const size_t i : {0U, 2U, 3U, 4U}) EXPECT_FALSE(found[i]["bijective"].get<bool>());
  const auto text = run_program({"check", "--file", folder.path("maps.json").string()});
  EXPECT_EQ(text.exit_status, 1);
  EXPECT_THAT(text.out, HasSubstr("zero: FAULT on grid 10"));
  EXPECT_THAT(text.out, HasSubstr("good: bijective"));
}

TEST(Check, AllMapsGoodExitsWith0) {
  const CaseFolder folder("elementwise");
  folder.write("maps.json", R"([{"id": "a", "map": "pid = wg", "grid": [10, 2, 3], "num_xcds": 1}])");
  const Json found = check_json({"--file", folder.path("maps.json").string()}, 0);
  EXPECT_TRUE(found[0]["identity"].get<bool>());
  EXPECT_FALSE(found[0].contains("xcds"));
}

TEST(Check, OneMapPrintsAnArrayOfOne) {
  const Json good = check_json({"--map", "pid = num_wgs - 1 - wg", "--grid", "64", "--xcds", "8"}, 0);
  ASSERT_TRUE(good.is_array());
  ASSERT_EQ(good.size(), 1U);
  EXPECT_TRUE(good[0]["bijective"].get<bool>());
  EXPECT_EQ(good[0]["xcds"]["along_x"].size(), 8U);
  const Json bad = check_json({"--map", "pid = wg / 2", "--grid", "64"}, 1);
  EXPECT_EQ(bad[0]["missing"], 32);
  EXPECT_EQ(bad[0]["lost_examples"][0], 32);
}

TEST(Check, PlacementIsSaidOnlyWhereTheHardwareDealsWorkgroups) {
  const auto run = [](const std::string& gpu) {
    return run_program({"check", "--map", "pid = num_wgs - 1 - wg", "--grid", "640", "--gpu", gpu}).out;
  };
  EXPECT_THAT(run("mi300x"), HasSubstr("XCDs (launch id % num_xcds)"));
  for (const std::string gpu : {"h200", "b200", "a100"}) {
    EXPECT_THAT(run(gpu), HasSubstr("one queue"));
    EXPECT_THAT(run(gpu), Not(HasSubstr("XCDs")));
  }
  const Json json = check_json({"--map", "pid = wg", "--grid", "64", "--gpu", "h200"}, 0);
  EXPECT_FALSE(json[0].contains("xcds"));
  EXPECT_THAT(json[0]["dispatch"].get<std::string>(), HasSubstr("when a tile runs"));
}

TEST(Check, OtherGridsAndSuggestions) {
  const std::string floor = "pid = wg % num_xcds * (num_wgs / num_xcds) + wg / num_xcds";
  const Json json = check_json({"--map", floor, "--grid", "64", "--xcds", "8", "--up-to", "80"}, 0);
  EXPECT_EQ(json[0]["other_grids"]["tried"], 80);
  EXPECT_EQ(json[0]["other_grids"]["failing"], 69);
  EXPECT_THAT(json[0]["suggestion"]["reason"].get<std::string>(), HasSubstr("floor form"));
  const std::string better = json[0]["suggestion"]["map"];
  EXPECT_EQ(
      check_json({"--map", better, "--grid", "64", "--xcds", "8", "--up-to", "80"}, 0)[0]["other_grids"]["failing"], 0);
}

TEST(Check, ContradictoryOrMissingOptionsExitWith2) {
  const std::vector<std::vector<std::string>> commands = {
      {},
      {"--map", "pid = wg"},
      {"--map", "pid = wg", "--file", "x.json", "--grid", "4"},
      {"--file", "/no/such/file.json"},
      {"--file", source_path("README.md")},
      {"--file", source_path("tests/data/cases/reported_maps.json"), "--grid", "4"},
      {"--map", "pid = wg", "--grid", "4", "--gpu", "mi300x", "--xcds", "4"},
      {"--map", "pid = wg", "--grid", "4", "--gpu", "mi301x"},
      {"--map", "pid = wg", "--grid", "0"},
      {"--map", "pid = wg", "--grid", "4,0"},
      {"--map", "pid = wg", "--grid", "-4"},
      {"--map", "pid = wg", "--grid", "2147483648"},
      {"--map", "pid = wg", "--grid", "65536,65536"},
      {"--map", "pid = wg", "--grid", "99999999999999999999"},
      {"--map", "pid = wg", "--grid", "4,4,4,4"},
      {"--map", "pid = wg", "--grid", "four"},
      {"--map", "pid = wg", "--grid", ""},
      {"--map", "pid = wg", "--grid", "4", "--xcds", "0"},
      {"--map", "pid = wg", "--grid", "4", "--up-to", "0"},
      {"--map", "pid = wg", "--grid", "4", "--up-to", "1000000"},
      {"--map", "pid_x = wg_x", "--grid", "4,4"},
      {"--map", "pid = wg +", "--grid", "4"},
      {"--map", "pid = 1 / (wg - 3)", "--grid", "4"},
      {"--map", "pid = wg * 9223372036854775807", "--grid", "4"},
      {"--map", "pid = 99999999999999999999", "--grid", "4"},
      {"--map", "pid = 1 << 64", "--grid", "4"},
      {"--map", "x = 1", "--grid", "4"},
      {"--map", std::string(70000, ' '), "--grid", "4"},
      {"--map", "pid = " + std::string(5000, '(') + "wg", "--grid", "4"}};
  for (auto command : commands) {
    command.insert(command.begin(), "check");
    const auto result = run_program(command);
    EXPECT_EQ(result.exit_status, 2) << testing::PrintToString(command).substr(0, 300) << result.out;
    EXPECT_FALSE(result.err.empty());
    EXPECT_TRUE(result.out.empty()) << result.out;
  }
}

TEST(Check, BrokenCaseFilesNameTheCase) {
  const CaseFolder folder("elementwise");
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "array"},
           {"[", "array"},
           {"[1]", "case 1"},
           {R"([{"id": "a", "map": "pid = wg", "grid": [4], "num_xcds": 8}, {"id": "b"}])", "case 2"},
           {R"([{"id": "a", "map": "pid = wg", "grid": [0], "num_xcds": 8}])", "case 1"},
           {R"([{"id": "a", "map": "pid = wg", "grid": [4.5], "num_xcds": 8}])", "case 1"},
           {R"([{"id": "a", "map": "pid = wg", "grid": [], "num_xcds": 8}])", "case 1"},
           {R"([{"id": "a", "map": "pid = wg", "grid": [4], "num_xcds": 0}])", "num_xcds"},
           {R"([{"id": 1, "map": "pid = wg", "grid": [4], "num_xcds": 8}])", "case 1"}}) {
    folder.write("maps.json", text);
    const auto result = run_program({"check", "--file", folder.path("maps.json").string()});
    EXPECT_EQ(result.exit_status, 2) << text;
    EXPECT_THAT(result.err, HasSubstr(says)) << text;
    EXPECT_THAT(result.err, HasSubstr("maps.json")) << text;
  }
}

}  // namespace
}  // namespace swizzleperf

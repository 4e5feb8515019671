// `gpus`: the list, one GPU, a user's own file, and files that are wrong.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(Gpus, TheListHasEveryFileOfTheFolder) {
  const auto text = run_program({"gpus"});
  ASSERT_EQ(text.exit_status, 0) << text.err;
  const auto json = run_program({"gpus", "--json"});
  ASSERT_EQ(json.exit_status, 0) << json.err;
  const Json list = Json::parse(json.out);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("gpus"))) {
    std::string name = entry.path().stem().string();
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    EXPECT_THAT(text.out, HasSubstr(name));
    EXPECT_TRUE(list.contains(name)) << name;
    ++files;
  }
  EXPECT_EQ(list.size(), files);
}

TEST(Gpus, OneGpuShowsEveryFigureWithItsSource) {
  const auto text = run_program({"gpus", "mi300x"});
  ASSERT_EQ(text.exit_status, 0);
  EXPECT_THAT(text.out, HasSubstr("l2.bytes"));
  EXPECT_THAT(text.out, HasSubstr("4194304"));
  EXPECT_THAT(text.out, HasSubstr("https://"));
  EXPECT_THAT(text.out, HasSubstr("[derived]"));
  const Json json = Json::parse(run_program({"gpus", "MI300X", "--json"}).out);
  EXPECT_EQ(json["domains"]["value"], "8");
  EXPECT_FALSE(json["domains"]["source"].get<std::string>().empty());
}

TEST(Gpus, AUsersOwnFileIsShownAndUsed) {
  const CaseFolder folder("elementwise");
  std::string text = read_file(source_path("gpus/mi300x.toml")).value();
  text.replace(text.find("\"MI300X\""), 8, "\"Mine\"");
  text.replace(text.find("domains = { value = 8"), 21, "domains = { value = 5");
  text.erase(text.find("[partitions]") == std::string::npos ? text.size() : text.find("[partitions]"));
  folder.write("mine.toml", text);
  const std::string file = folder.path("mine.toml").string();
  const auto shown = run_program({"gpus", file});
  ASSERT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("Mine"));
  const auto checked = run_program({"check", "--map", "pid = wg", "--grid", "50", "--gpu", file, "--json"});
  ASSERT_EQ(checked.exit_status, 0) << checked.err;
  EXPECT_EQ(Json::parse(checked.out)[0]["xcds"]["along_x"].size(), 5U);
}

TEST(Gpus, AWrongFileNamesFileLineAndField) {
  const CaseFolder folder("elementwise");
  const std::string good = read_file(source_path("gpus/h200.toml")).value();
  const auto expect = [&](const std::string& text, const std::vector<std::string>& says) {
    folder.write("bad.toml", text);
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"gpus", folder.path("bad.toml").string()},
             {"predict", folder.path("elementwise.toml").string(), "--gpu", folder.path("bad.toml").string()}}) {
      const auto result = run_program(command);
      EXPECT_EQ(result.exit_status, 2) << text;
      for (const std::string& each : says) EXPECT_THAT(result.err, HasSubstr(each));
      EXPECT_TRUE(result.out.empty());
    }
  };
  expect("name = \"X\"\nvendor = \"nvidia\"\narch = \n", {"bad.toml:3"});
  expect("name = \"X\"\nvendor = \"nvidia\"\narch = 90\n", {"bad.toml:3:8", "'arch'"});
  expect("nam = \"X\"\n", {"bad.toml:1", "'nam'", "did you mean 'name'?"});
  expect("name = \"X\"\n", {"bad.toml", "'vendor' is missing"});
  expect("name = \"\xC3\xA9\"\n", {"bad.toml:1", "ASCII"});
  expect(good + "\n[l1]\n", {"bad.toml"});
  expect("", {"bad.toml"});
}

TEST(Gpus, UnknownNamesAndFilesExitWith2) {
  const auto slip = run_program({"gpus", "mi30x"});
  EXPECT_EQ(slip.exit_status, 2);
  EXPECT_THAT(slip.err, HasSubstr("did you mean 'MI300X'?"));
  EXPECT_EQ(run_program({"gpus", "/no/such/gpu.toml"}).exit_status, 2);
  EXPECT_EQ(run_program({"gpus", source_path("gpus/")}).exit_status, 2);
}

}  // namespace
}  // namespace swizzleperf

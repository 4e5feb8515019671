// Answers as models give them.
#include "llm/reply.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "swizzle/expr.h"
#include "tests/llm/fake_server.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

std::string map_of(const std::string& text) {
  const auto reply = parse_reply(text);
  return reply ? reply->map : "no map: " + reply.error().message;
}

TEST(Reply, ReadsEveryField) {
  const auto reply = parse_reply(R"({"critiques": [{"try": 1, "why": "lost the tail"}, "also slow"], "summary": "s",
      "why_better": "w", "map": "pid = wg", "expected_hit_rate": 0.83})");
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->critiques.size(), 2U);
  EXPECT_EQ(reply->critiques[0].attempt, 1);
  EXPECT_EQ(reply->critiques[0].why, "lost the tail");
  EXPECT_EQ(reply->critiques[1].why, "also slow");
  EXPECT_EQ(reply->summary, "s");
  EXPECT_EQ(reply->why_better, "w");
  EXPECT_EQ(reply->map, "pid = wg");
  EXPECT_DOUBLE_EQ(reply->expected_hit_rate.value(), 0.83);
}

TEST(Reply, RatesAreFractionsHoweverTheyAreWritten) {
  const auto rate = [](const std::string& value) {
    return parse_reply(R"({"map": "pid = wg", "expected_hit_rate": )" + value + "}")->expected_hit_rate;
  };
  EXPECT_DOUBLE_EQ(rate("83").value(), 0.83);
  EXPECT_DOUBLE_EQ(rate("\"about 83.5 %\"").value(), 0.835);
  EXPECT_DOUBLE_EQ(rate("\"0.5\"").value(), 0.5);
  for (const char* nonsense : {"\"high\"", "-1", "1e9", "null", "[]", "true"}) EXPECT_FALSE(rate(nonsense)) << nonsense;
}

TEST(Reply, IsFoundInFencesProseAndBrokenJson) {
  EXPECT_EQ(map_of("Sure! Here it is:\n```json\n{\"map\": \"pid = wg\",}\n```\nHope {this} helps."), "pid = wg");
  EXPECT_EQ(map_of("{not json} then {\"map\": \"pid = wg\", \"critiques\": [1, 2,],}"), "pid = wg");
  EXPECT_EQ(map_of("{\"map\": \"a = wg\npid = a\"}"), "a = wg\npid = a");
  EXPECT_EQ(map_of("{\"map\": \"pid = wg\", // mine\n \"summary\": \"cut of"), "pid = wg");
  EXPECT_EQ(map_of(R"({"map": "```c\npid = wg\n```"})"), "pid = wg");
  EXPECT_EQ(map_of(R"({"answer": {"map": ["a = wg", "pid = a"]}})"), "a = wg\npid = a");
  EXPECT_EQ(map_of("summary: good map: pid = wg expected_hit_rate: 0.5"), "pid = wg");
  EXPECT_EQ(map_of("**Map**: `pid = wg`\n"), "pid = wg");
  EXPECT_EQ(map_of("I would use\n```\nx = wg % 8\npid = x\n```\nbecause."), "x = wg % 8\npid = x");
}

TEST(Reply, StatementsThatRanTogetherAreParted) {
  for (const char* text : {"a = wg % num_xcds b = wg / num_xcds pid = b * num_xcds + a",
                           "a = wg % num_xcds\\nb = wg / num_xcds\\npid = b * num_xcds + a"}) {
    const auto expr = SwizzleExpr::parse(tidy_map(text));
    ASSERT_TRUE(expr) << tidy_map(text);
    EXPECT_EQ(expr->text(), SwizzleExpr::parse("a = wg % num_xcds; b = wg / num_xcds; pid = b * num_xcds + a")->text());
  }
}

TEST(Reply, TidyingChangesNoWellFormedMap) {
  const auto cases = nlohmann::json::parse(
      read_file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/cases/published_maps.json").value());
  int compared = 0;
  for (const auto& one : cases) {
    const std::string map = one.at("map");
    const auto plain = SwizzleExpr::parse(map);
    const auto tidied = SwizzleExpr::parse(tidy_map(map));
    if (!plain) continue;
    ASSERT_TRUE(tidied) << map;
    EXPECT_EQ(plain->text(), tidied->text());
    ++compared;
  }
  EXPECT_GT(compared, 90);
  EXPECT_EQ(tidy_map("a = wg == 3 ? 1 : 2 # if b = 1\npid = a"), "a = wg == 3 ? 1 : 2 # if b = 1\npid = a");
}

TEST(Reply, WithoutAMapIsAClearError) {
  for (const char* text : {"", "I cannot do that.", "{}", "[]", "{\"map\": 7}", "{\"pid\": \"wg\"}",
                           "map: swizzle it well", "\x00\xff\xfe"})
    EXPECT_THAT(map_of(text), HasSubstr("no map: there is no map in the answer")) << text;
}

TEST(Reply, AMapThatIsProseIsTheParsersToRefuse) {
  const std::string map = map_of(typed_reply("give each XCD a contiguous chunk of rows"));
  EXPECT_EQ(map, "give each XCD a contiguous chunk of rows");
  EXPECT_FALSE(SwizzleExpr::parse(map));
}

TEST(Reply, MegabytesOfAnythingAreRead) {
  const size_t size = size_t{1} << 20;
  EXPECT_THAT(map_of(std::string(size, '{')), HasSubstr("no map"));
  EXPECT_THAT(map_of(std::string(size, '[')), HasSubstr("no map"));
  EXPECT_THAT(map_of(std::string(size, '"')), HasSubstr("no map"));
  EXPECT_THAT(map_of(std::string(size, '\\')), HasSubstr("no map"));
  std::string labels, fences;
  while (labels.size() < size) labels += "map summary ";
  while (fences.size() < size) fences += "```\n";
  EXPECT_THAT(map_of(labels), HasSubstr("no map"));
  EXPECT_THAT(map_of(fences), HasSubstr("no map"));
  EXPECT_EQ(map_of(std::string(size, 'x') + typed_reply("pid = wg")), "pid = wg");
  EXPECT_EQ(map_of(typed_reply("pid = wg" + std::string(size, ' '))), "pid = wg");
  EXPECT_FALSE(SwizzleExpr::parse(map_of(typed_reply("pid = " + std::string(size, '('))).substr(0, size)));
}

}  // namespace
}  // namespace swizzleperf

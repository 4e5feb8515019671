// The server as a process: real pipes, real calls.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/process.h"

namespace swizzleperf {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})"
    "\n";

std::string check_call(const std::string& id, const std::string& map) {
  return R"({"jsonrpc":"2.0","id":)" + id +
         R"(,"method":"tools/call","params":{"name":"check","arguments":{"grid":"8","xcds":8,"map":")" + map +
         "\"}}}\n";
}

// Every line that the server writes must be a message of the protocol.
std::vector<Json> converse(const std::string& input) {
  const auto result = run_process({SWIZZLEPERF_PROGRAM, "mcp"}, {.wall = std::chrono::minutes(2)}, input);
  EXPECT_TRUE(result);
  EXPECT_EQ(result->exit_status, 0) << result->err;
  std::vector<Json> messages;
  std::istringstream stream(result->out);
  for (std::string line; std::getline(stream, line);) {
    messages.push_back(Json::parse(line));
    EXPECT_EQ(messages.back()["jsonrpc"], "2.0");
  }
  return messages;
}

TEST(McpServer, AnswersWhatWasAskedBeforeTheInputEnds) {
  const auto messages = converse(kInitialize + check_call("1", "pid = wg") + check_call("2", "pid = wg / 2") +
                                 check_call("3", "pid = (") + R"({"jsonrpc":"2.0","id":4,"method":"ping"})");
  ASSERT_EQ(messages.size(), 5U);
  std::map<int, Json> by_id;
  for (const Json& message : messages) by_id[message["id"]] = message["result"];
  EXPECT_THAT(by_id[1]["content"][0]["text"].get<std::string>(), HasSubstr("\"bijective\": true"));
  EXPECT_THAT(by_id[2]["content"][0]["text"].get<std::string>(), HasSubstr("\"bijective\": false"));
  EXPECT_FALSE(by_id[2]["isError"]);
  EXPECT_TRUE(by_id[3]["isError"]);
  EXPECT_THAT(by_id[3]["content"][0]["text"].get<std::string>(), HasSubstr("error:"));
  EXPECT_EQ(by_id[4], Json::object());
}

TEST(McpServer, ACallThatIsCancelledBeforeItsTurnGetsNoAnswer) {
  const auto messages = converse(check_call("1", "pid = wg") + check_call("\"two\"", "pid = wg") +
                                 R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"two"}})"
                                 "\n" +
                                 check_call("3", "pid = wg"));
  std::vector<std::string> ids;
  for (const Json& message : messages) ids.push_back(message["id"].dump());
  EXPECT_THAT(ids, ::testing::Not(::testing::Contains("\"two\"")));
  EXPECT_THAT(ids, ::testing::Contains("3"));
}

TEST(McpServer, LongAndBrokenLinesDoNotStopIt) {
  const auto messages = converse(std::string(5 << 20, 'x') + "\n\n" + std::string("\x00\xff\n", 3) +
                                 R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
                                 "\n");
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0]["error"]["code"], -32700);
  EXPECT_EQ(messages[1]["error"]["code"], -32700);
  EXPECT_EQ(messages[2]["id"], 1);
}

}  // namespace
}  // namespace swizzleperf

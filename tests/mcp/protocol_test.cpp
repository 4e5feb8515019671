// The Model Context Protocol, line by line: what clients send, and what they should not.
#include "mcp/protocol.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace swizzleperf {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

McpProtocol protocol() {
  return {load_mcp_tools().value(), "1.2.3"};
}

Json reply_to(const std::string& line) {
  const McpAction action = protocol().handle(line);
  EXPECT_FALSE(action.reply.empty()) << line;
  EXPECT_EQ(action.reply.find('\n'), std::string::npos);
  return Json::parse(action.reply);
}

int error_of(const std::string& line) {
  return reply_to(line)["error"]["code"];
}

TEST(Mcp, AgreesOnAVersion) {
  const auto version = [](const std::string& asked) {
    return reply_to(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" + asked +
                    R"("}})")["result"]["protocolVersion"];
  };
  EXPECT_EQ(version("2024-11-05"), "2024-11-05");
  EXPECT_EQ(version("2025-06-18"), "2025-06-18");
  EXPECT_EQ(version("1999-01-01"), "2025-11-25");
  const Json json = reply_to(R"({"jsonrpc":"2.0","id":"a","method":"initialize"})");
  EXPECT_EQ(json["id"], "a");
  EXPECT_EQ(json["result"]["serverInfo"]["version"], "1.2.3");
  EXPECT_TRUE(json["result"]["capabilities"].contains("tools"));
}

TEST(Mcp, ListsItsTools) {
  const Json tools = reply_to(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})")["result"]["tools"];
  std::vector<std::string> names;
  for (const Json& tool : tools) {
    names.push_back(tool["name"]);
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_GT(tool["description"].get<std::string>().size(), 40U);
  }
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre("analyze", "predict", "check", "optimize", "gpu_facts", "rewrite"));
}

TEST(Mcp, WhatIsNoRequestGetsTheErrorOfItsKind) {
  EXPECT_EQ(error_of("{"), -32700);
  EXPECT_EQ(error_of("prose"), -32700);
  EXPECT_EQ(error_of(std::string(1 << 20, '[')), -32700);
  EXPECT_EQ(error_of("[]"), -32600);
  EXPECT_EQ(error_of("7"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":[1],"method":"ping"})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})"), -32601);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})"), -32602);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}})"), -32602);
}

TEST(Mcp, PingIsAnsweredAndWhatNeedsNoAnswerGetsNone) {
  EXPECT_EQ(reply_to(R"({"jsonrpc":"2.0","id":3,"method":"ping"})")["result"], Json::object());
  for (const char* line : {"", "  \r", R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                           R"({"jsonrpc":"2.0","method":"no/such"})", R"({"jsonrpc":"2.0","id":9,"result":{}})",
                           R"({"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}})",
                           R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}})"}) {
    const McpAction action = protocol().handle(line);
    EXPECT_TRUE(action.reply.empty()) << line;
    EXPECT_FALSE(action.call);
  }
  EXPECT_EQ(
      protocol().handle(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}})").cancelled,
      "\"x\"");
}

TEST(Mcp, ACallBecomesACommandWhoseArgumentsAreValues) {
  const McpAction action = protocol().handle(
      R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"predict","arguments":{"case":"a b.toml","gpu":"h200","map":["pid = wg","--in-place"]}}})");
  ASSERT_TRUE(action.call) << action.reply;
  EXPECT_EQ(action.call->id, "4");
  EXPECT_EQ(action.call->command, (std::vector<std::string>{"predict", "a b.toml", "--gpu=h200", "--map=pid = wg",
                                                            "--map=--in-place", "--json"}));
}

TEST(Mcp, ArgumentsThatDoNotFitTheSchemaAreRefused) {
  const auto said = [](const std::string& tool, const std::string& arguments) {
    const Json json = reply_to(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":")" + tool +
                               R"(","arguments":)" + arguments + "}}");
    EXPECT_EQ(json["error"]["code"], -32602);
    return json["error"]["message"].get<std::string>();
  };
  EXPECT_THAT(said("check", R"({"map":"pid = wg"})"), HasSubstr("'grid' is missing"));
  EXPECT_THAT(said("check", R"({"map":7,"grid":"8"})"), HasSubstr("must be of type string"));
  EXPECT_THAT(said("check", R"({"map":"pid = wg","grid":"8","xcds":"8"})"), HasSubstr("must be of type integer"));
  EXPECT_THAT(said("optimize", R"({"case":"x.toml","gpu":"h200","in_place":true})"),
              HasSubstr("no argument 'in_place'"));
  EXPECT_THAT(said("optimize", R"({"case":"--help","gpu":"h200"})"), HasSubstr("no name of a file"));
  EXPECT_THAT(said("optimize", R"({"case":"x\u0000y","gpu":"h200"})"), HasSubstr("zero byte"));
  EXPECT_THAT(said("optimize", "[]"), HasSubstr("no JSON object"));
}

TEST(Mcp, ResultsAreTextAndStructured) {
  const Json object = Json::parse(call_result("1", "{\"a\": 1}\n"));
  EXPECT_EQ(object["result"]["structuredContent"]["a"], 1);
  EXPECT_FALSE(object["result"]["isError"]);
  const Json array = Json::parse(call_result("1", "[1]"));
  EXPECT_FALSE(array["result"].contains("structuredContent"));
  EXPECT_EQ(array["result"]["content"][0]["text"], "[1]");
  const Json failed = Json::parse(call_failed("\"x\"", "bad \xff\n"));
  EXPECT_TRUE(failed["result"]["isError"]);
  EXPECT_EQ(failed["id"], "x");
}

}  // namespace
}  // namespace swizzleperf

// One model of one provider, as the providers' documents say that their servers answer, and as they answer when
// something is wrong.
#include "llm/client.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "llm/recording.h"
#include "llm/retry.h"
#include "tests/llm/fake_server.h"

namespace swizzleperf {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "sk-test-0123456789abcdef";

Transport quick_transport() {
  RetryPolicy policy{.attempts = 3, .first_wait = std::chrono::milliseconds(1)};
  return [policy](const HttpRequest& request) {
    const auto once = [](const HttpRequest& r) { return http_post(r, {.total = std::chrono::milliseconds(500)}); };
    return send_with_retries(once, request, policy);
  };
}

ChatClient client_for(const FakeServer& server, const std::string& provider = "compatible") {
  const Secret key = Secret::create(kKey, "test").value();
  auto prepared = prepare_provider(load_provider(provider).value(), server.url() + "/v1", key);
  return {prepared.value(), key, quick_transport()};
}

ChatRequest question() {
  return {
      .model = "some-model",
      .system = "You are terse.",
      .messages = {{.text = "Which map?"}},
      .tools =
          {{"predict", "Predicts.",
            R"({"type":"object","properties":{"map":{"type":"string"}},"required":["map"],"additionalProperties":false})"}},
      .reply_schema = R"({"type":"object","properties":{"map":{"type":"string"}},"additionalProperties":false})",
      .max_tokens = 77,
      .temperature = 0.5};
}

Json sent(const FakeServer& server, size_t number = 0) {
  return Json::parse(server.seen().at(number).body);
}

TEST(Providers, EveryFileIsReadAndNamesItsSource) {
  EXPECT_GE(known_providers().size(), 7U);
  for (const auto& name : known_providers()) {
    const auto provider = load_provider(name);
    ASSERT_TRUE(provider) << name << ": " << describe(provider.error());
    EXPECT_THAT(provider->source, HasSubstr("https://"));
  }
  EXPECT_THAT(load_provider("opnai").error().advice, HasSubstr("openai"));
  EXPECT_FALSE(parse_provider("wire = \"openai\"\nreply = \"schema\"\npath = 3\n", "x.toml"));
  EXPECT_FALSE(parse_provider("wire = \"telex\"\nreply = \"schema\"\npath = \"/x\"\n", "x.toml"));
  EXPECT_FALSE(parse_provider("wire = \"openai\"\nreply = \"schema\"\npath = \"/x\"\nkey = \"sk\"\n", "x.toml"));
}

TEST(Client, SpeaksOpenAi) {
  const FakeServer server({openai_answer("hello")});
  const auto reply = client_for(server).ask(question());
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->finish, Finish::kComplete);
  EXPECT_EQ(reply->text, "hello");
  EXPECT_EQ(reply->usage.input, 100);
  EXPECT_EQ(reply->usage.output, 50);
  const Json json = sent(server);
  EXPECT_EQ(json["model"], "some-model");
  EXPECT_EQ(json["messages"][0]["role"], "system");
  EXPECT_EQ(json["messages"][1]["content"], "Which map?");
  EXPECT_EQ(json["tools"][0]["function"]["name"], "predict");
  EXPECT_EQ(json["response_format"]["json_schema"]["schema"]["type"], "object");
  EXPECT_EQ(json["max_tokens"], 77);
  EXPECT_THAT(server.seen()[0].head, HasSubstr("POST /v1/chat/completions"));
}

TEST(Client, SpeaksAnthropic) {
  const std::string answer = R"({"type":"message","content":[{"type":"text","text":"So: "},
      {"type":"tool_use","id":"t1","name":"propose","input":{"map":"pid = wg"}}],"stop_reason":"tool_use",
      "usage":{"input_tokens":90,"cache_read_input_tokens":10,"output_tokens":5}})";
  const FakeServer server({{.body = answer}});
  ChatRequest request = question();
  request.messages.push_back({.role = ChatMessage::Role::kModel,
                              .text = "",
                              .raw = R"([{"type":"tool_use","id":"t0","name":"predict","input":{}}])"});
  request.messages.push_back(
      {.role = ChatMessage::Role::kTool, .text = "0.5", .call_id = "t0", .call_name = "predict"});
  request.messages.push_back({.text = "Go on."});
  const auto reply = client_for(server, "anthropic").ask(request);
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, R"({"map":"pid = wg"})");
  EXPECT_EQ(reply->usage.input, 100);
  const Json json = sent(server);
  EXPECT_EQ(json["system"], "You are terse.");
  ASSERT_EQ(json["messages"].size(), 3U);
  EXPECT_EQ(json["messages"][1]["content"][0]["id"], "t0");
  EXPECT_EQ(json["messages"][2]["content"][0]["tool_use_id"], "t0");
  EXPECT_EQ(json["messages"][2]["content"][1]["text"], "Go on.");
  EXPECT_EQ(json["tools"][1]["name"], "propose");
  EXPECT_THAT(server.seen()[0].head, HasSubstr("anthropic-version: 2023-06-01"));
  EXPECT_THAT(server.seen()[0].head, HasSubstr(std::string("x-api-key: ") + kKey));
}

TEST(Client, SpeaksGemini) {
  const std::string answer = R"({"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},
      {"functionCall":{"name":"predict","args":{"map":"pid = wg"}},"thoughtSignature":"abc"}]},"finishReason":"STOP"}],
      "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":3}})";
  const FakeServer server({{.body = answer}, gemini_answer("done")});
  ChatClient client = client_for(server, "gemini");
  ChatRequest request = question();
  const auto reply = client.ask(request);
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, "");
  ASSERT_EQ(reply->calls.size(), 1U);
  EXPECT_EQ(reply->calls[0].arguments, R"({"map":"pid = wg"})");
  EXPECT_EQ(reply->usage.output, 5);
  request.messages.push_back({.role = ChatMessage::Role::kModel, .text = "", .calls = reply->calls, .raw = reply->raw});
  request.messages.push_back({.role = ChatMessage::Role::kTool, .text = "0.5", .call_name = "predict"});
  EXPECT_EQ(client.ask(request)->text, "done");
  const Json json = sent(server, 1);
  EXPECT_EQ(json["contents"][1]["parts"][1]["thoughtSignature"], "abc");
  EXPECT_EQ(json["contents"][2]["parts"][0]["functionResponse"]["response"]["result"], "0.5");
  EXPECT_THAT(json["tools"].dump(), Not(HasSubstr("additionalProperties")));
  EXPECT_EQ(json["generationConfig"]["maxOutputTokens"], 77);
  EXPECT_THAT(server.seen()[0].head, HasSubstr("/models/some-model:generateContent"));
}

TEST(Client, TellsEndsApart) {
  const auto finish = [](const FakeAnswer& answer, const char* provider) {
    const FakeServer server({answer});
    const auto reply = client_for(server, provider).ask(question());
    return reply ? reply->finish : throw std::runtime_error(describe(reply.error()));
  };
  EXPECT_EQ(finish(openai_answer("{\"map\": \"pid", "length"), "compatible"), Finish::kTruncated);
  EXPECT_EQ(finish(openai_answer("", "content_filter"), "compatible"), Finish::kFiltered);
  EXPECT_EQ(finish(openai_answer("  \n"), "compatible"), Finish::kEmpty);
  EXPECT_EQ(finish({.body = R"({"choices":[]})"}, "compatible"), Finish::kEmpty);
  EXPECT_EQ(finish({.body = R"({"choices":[{"message":null}]})"}, "compatible"), Finish::kEmpty);
  EXPECT_EQ(
      finish({.body = R"({"choices":[{"message":{"refusal":"I cannot"},"finish_reason":"stop"}]})"}, "compatible"),
      Finish::kRefused);
  EXPECT_EQ(finish(anthropic_answer("x", "max_tokens"), "anthropic"), Finish::kTruncated);
  EXPECT_EQ(finish(anthropic_answer("", "refusal"), "anthropic"), Finish::kRefused);
  EXPECT_EQ(finish(gemini_answer("x", "MAX_TOKENS"), "gemini"), Finish::kTruncated);
  EXPECT_EQ(finish(gemini_answer("", "SAFETY"), "gemini"), Finish::kFiltered);
  EXPECT_EQ(finish({.body = R"({"promptFeedback":{"blockReason":"SAFETY"}})"}, "gemini"), Finish::kFiltered);
}

TEST(Client, LearnsWhatAModelDoesNotTakeAndKeepsIt) {
  const auto complaint = [](const std::string& text) {
    return FakeAnswer{.status = 400,
                      .body = R"({"error":{"message":")" + text + R"(","type":"invalid_request_error"}})"};
  };
  const FakeServer server({complaint("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                                     "'max_completion_tokens' instead."),
                           complaint("Unsupported value: 'temperature' does not support 0.5 with this model."),
                           complaint("response_format is not supported"),
                           complaint("this model does not support tools"), complaint("System role not supported"),
                           openai_answer("at last"), openai_answer("again")});
  ChatClient client = client_for(server);
  EXPECT_EQ(client.ask(question())->text, "at last");
  EXPECT_EQ(client.ask(question())->text, "again");
  EXPECT_EQ(client.requests(), 7);
  const Json json = sent(server, 6);
  EXPECT_EQ(json["max_completion_tokens"], 77);
  for (const char* gone : {"max_tokens", "temperature", "response_format", "tools"})
    EXPECT_FALSE(json.contains(gone)) << gone;
  EXPECT_EQ(json["messages"].size(), 1U);
  EXPECT_THAT(json["messages"][0]["content"].get<std::string>(), HasSubstr("You are terse."));
}

TEST(Client, AComplaintAboutAnythingElseIsFinal) {
  const FakeServer server({{.status = 400, .body = R"({"error":{"message":"context length exceeded"}})"}});
  const auto reply = client_for(server).ask(question());
  ASSERT_FALSE(reply);
  EXPECT_EQ(exit_code(reply.error()), 2);
  EXPECT_THAT(reply.error().message, HasSubstr("context length exceeded"));
  EXPECT_EQ(server.seen().size(), 1U);
}

TEST(Client, NeverTellsTheKeyThatAServerEchoes) {
  const std::string echo = R"({"error":{"message":"Incorrect API key provided: )" + std::string(kKey) + R"(."}})";
  const std::string escaped = R"({"error":{"message":"bad key sk-test\u002d0123456789abcdef"}})";
  const FakeServer server({{.status = 401, .body = echo},
                           {.status = 403, .body = escaped},
                           {.status = 400, .body = kKey},
                           {.body = kKey, .content_type = kKey},
                           openai_answer(std::string("your key is ") + kKey)});
  ChatClient client = client_for(server);
  for (int i = 0; i < 4; ++i) {
    const auto reply = client.ask(question());
    ASSERT_FALSE(reply) << i;
    EXPECT_THAT(describe(reply.error()), Not(HasSubstr(kKey)));
  }
  EXPECT_EQ(client.ask(question())->text, "your key is [redacted]");
}

TEST(Client, NetworkFaultsAreErrorsThatSayWhere) {
  using Fault = FakeAnswer::Fault;
  for (const FakeAnswer& answer :
       {FakeAnswer{.fault = Fault::kReset}, FakeAnswer{.body = std::string(100, 'x'), .fault = Fault::kHalf},
        FakeAnswer{.status = 503, .body = "busy"},
        FakeAnswer{.body = "<html>router login</html>", .content_type = "text/html"}, FakeAnswer{.body = "[1, 2"},
        FakeAnswer{.body = "[]"}}) {
    const FakeServer server({answer});
    const auto reply = client_for(server).ask(question());
    ASSERT_FALSE(reply);
    EXPECT_EQ(exit_code(reply.error()), 3) << describe(reply.error());
    EXPECT_THAT(reply.error().message, HasSubstr(server.url()));
  }
}

TEST(Client, TransientFaultsPass) {
  const FakeServer server(
      {{.status = 429, .headers = {"Retry-After: 0"}}, {.fault = FakeAnswer::Fault::kReset}, openai_answer("good")});
  EXPECT_EQ(client_for(server).ask(question())->text, "good");
  EXPECT_EQ(server.seen().size(), 3U);
}

TEST(Client, AModelsNameCannotChangeTheAddress) {
  const FakeServer server({openai_answer("x")});
  for (const char* name : {"", "a b", "../admin", "m?key=1", "m\r\nX: 1"}) {
    ChatRequest request = question();
    request.model = name;
    EXPECT_FALSE(client_for(server).ask(request)) << name;
  }
  EXPECT_TRUE(server.seen().empty());
}

TEST(Recording, ReplaysWhatItRecordedWithoutNetworkAndWithoutTheKey) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "run.jsonl";
  const Secret key = Secret::create(kKey, "test").value();
  const auto provider = [&](const std::string& url) {
    return prepare_provider(load_provider("compatible").value(), url, key).value();
  };
  std::string url;
  {
    const FakeServer server({openai_answer(std::string("one ") + kKey),
                             {.status = 401, .body = R"({"error":"sk-test\u002d0123456789abcdef"})"}});
    url = server.url();
    ChatClient client(provider(url), key, record_to(file, quick_transport()).value());
    EXPECT_TRUE(client.ask(question()));
    EXPECT_FALSE(client.ask(question()));
  }
  EXPECT_THAT(read_file(file).value(), Not(HasSubstr("0123456789abcdef")));
  EXPECT_FALSE(record_to(file, quick_transport())) << "a recording is never overwritten";
  ChatClient again(provider(url), Secret(), replay_from(file).value());
  EXPECT_EQ(again.ask(question())->text, "one [redacted]");
  EXPECT_THAT(again.ask(question()).error().message, HasSubstr("status 401"));
  EXPECT_THAT(again.ask(question()).error().message, HasSubstr("ends after 2 exchanges"));
  ChatClient other(provider(url), Secret(), replay_from(file).value());
  ChatRequest changed = question();
  changed.messages[0].text = "Which other map?";
  EXPECT_THAT(other.ask(changed).error().message, HasSubstr("another request"));
}

TEST(Recording, AFileThatIsNoneIsRefusedWithItsLine) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "run.jsonl";
  ASSERT_TRUE(write_file_atomic(file, "{\"response\": {\"body\": {}}}\n\nprose\n"));
  const auto replay = replay_from(file);
  ASSERT_FALSE(replay);
  EXPECT_EQ(replay.error().place.line, 3);
}

}  // namespace
}  // namespace swizzleperf

// optimize with language models, against a server of the tests: the whole path from the command line to the patch.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program.h"
#include "tests/llm/fake_server.h"

namespace swizzleperf {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "sk-test-0123456789abcdef";
// A contiguous range of tiles an XCD, walked in groups of 12 rows: moves fewer bytes on this small GEMM.
constexpr const char* kGrouped =
    "x = wg % num_xcds\nr = num_wgs % num_xcds\nt = x * (num_wgs / num_xcds) + min(x, r) + wg / num_xcds\n"
    "g = t / (12 * grid_x) * 12\nh = min(grid_y - g, 12)\nm = t % (12 * grid_x)\npid_x = m / h\npid_y = g + m % h";

const std::string kGemm = source_path("examples/gemm/gemm.toml");

// With a key in the environment, as a user has it.
ProcessResult ask(const std::vector<std::string>& options, const std::string& key = kKey) {
  std::vector<std::string> command = {"env",
                                      "OPENAI_API_KEY=" + key,
                                      SWIZZLEPERF_PROGRAM,
                                      "optimize",
                                      kGemm,
                                      "--size",
                                      "M=4096",
                                      "--size",
                                      "N=4096",
                                      "--size",
                                      "K=512",
                                      "--gpu",
                                      "mi300x"};
  command.insert(command.end(), options.begin(), options.end());
  const auto result = run_process(command, {.wall = std::chrono::minutes(5)});
  EXPECT_TRUE(result);
  EXPECT_THAT(result->out + result->err, Not(HasSubstr(kKey)));
  return *result;
}

TEST(Llm, AModelsMapIsProvenPatchedAndComparedAndTheRunReplays) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::string file = (folder->path() / "run.jsonl").string();
  const FakeServer server({openai_answer(typed_reply("pid = wg / 2")), openai_answer(typed_reply(kGrouped)),
                           openai_answer(typed_reply("pid = num_wgs - 1 - wg"))});
  const std::vector<std::string> options = {"--proposer",         "llm",          "--model", "good,poor", "--base-url",
                                            server.url() + "/v1", "--max-rounds", "1",       "--json"};
  auto recorded = options;
  recorded.insert(recorded.end(), {"--record", file});
  const auto result = ask(recorded);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["verdict"], "apply");
  EXPECT_TRUE(json["gate"]["passed"]);
  EXPECT_THAT(json["patch"].get<std::string>(), HasSubstr("blockIdx"));
  EXPECT_EQ(json["candidates"][0]["proposer"], "model good");
  ASSERT_EQ(json["models"].size(), 2U);
  EXPECT_EQ(json["models"][0]["repairs"], 1);
  EXPECT_EQ(json["models"][0]["valid"], 1);
  EXPECT_EQ(json["models"][0]["tokens_in"], 200);
  EXPECT_EQ(json["models"][0]["cost_usd"], nullptr);
  EXPECT_EQ(json["models"][1]["maps"], 1);
  EXPECT_THAT(read_file(file).value(), Not(HasSubstr(kKey)));

  auto replayed = options;
  replayed.insert(replayed.end(), {"--replay", file});
  const auto again = ask(replayed, "");
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["candidates"], json["candidates"]);
  EXPECT_EQ(server.seen().size(), 3U) << "a replay sends nothing";
}

TEST(Llm, WhatNoModelProvesIsNeverEmitted) {
  const FakeServer server({openai_answer(typed_reply("pid = wg / 2")), openai_answer(typed_reply("swizzle well")),
                           openai_answer(std::string(1 << 20, '{')), openai_answer(typed_reply("pid = wg % 4"))});
  const auto result =
      ask({"--proposer", "llm", "--model", "bad", "--base-url", server.url() + "/v1", "--max-rounds", "2", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["verdict"], "no gain");
  EXPECT_EQ(json["patch"], nullptr);
  EXPECT_TRUE(json["candidates"].empty());
  EXPECT_EQ(json["models"][0]["valid"], 0);
}

TEST(Llm, BothRanksTheSearchBesideTheModel) {
  const FakeServer server({openai_answer(typed_reply("pid = num_wgs - 1 - wg"))});
  const auto result = ask({"--proposer", "both", "--model", "m", "--base-url", server.url() + "/v1", "--max-rounds",
                           "1", "--evaluations", "12", "--keep", "50"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("xcd_balanced.grouped"));
  EXPECT_THAT(result.out, HasSubstr("Models, predicted by the simulator"));
  EXPECT_THAT(server.seen().at(0).body, HasSubstr("xcd_balanced.grouped")) << "the model is told of the search's best";
}

TEST(Llm, ADryRunPrintsThePromptAndSendsNothing) {
  const FakeServer server({openai_answer("x")});
  const auto result = ask({"--proposer", "llm", "--model", "m", "--base-url", server.url() + "/v1", "--dry-run"}, "");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  for (const char* part : {"== system ==", "# The language of maps", "__global__", "MI300X: 8 L2 domains",
                           "tokens (estimated)", "nothing was sent"})
    EXPECT_THAT(result.out, HasSubstr(part));
  EXPECT_TRUE(server.seen().empty());
}

struct Refused {
  std::vector<std::string> options;
  int exit_code;
  std::string says;
};

TEST(Llm, WhatIsMissingOrWrongIsSaid) {
  const FakeServer server(
      {{.status = 401, .body = std::string(R"({"error":{"message":"wrong key )") + kKey + R"("}})"}});
  const std::string url = server.url() + "/v1";
  for (const Refused& one : std::vector<Refused>{
           {{"--proposer", "llm"}, 2, "needs a model"},
           {{"--proposer", "llm", "--model", "m", "--base-url", url}, 2, "wrong key [redacted]"},
           {{"--proposer", "llm", "--model", "m", "--base-url", "http://127.0.0.1:1/v1"}, 3, "does not answer"},
           {{"--proposer", "llm", "--model", "m", "--base-url", "http://gpu-box/v1"}, 2, "in the clear"},
           {{"--proposer", "llm", "--model", "m", "--provider", "gemini"}, 2, "$GEMINI_API_KEY"},
           {{"--proposer", "llm", "--model", "m", "--provider", "opnai"}, 2, "did you mean 'openai'"},
           {{"--proposer", "llm", "--model", "m", "--base-url", url, "--context", "weather"},
            2,
            "no part of a context"},
           {{"--proposer", "llm", "--model", "m", "--base-url", url, "--max-cost", "1"},
            2,
            "price of 'm' is not known"},
           {{"--proposer", "llm", "--model", "m", "--base-url", url, "--replay", "/absent"}, 2, "/absent"},
           {{"--proposer", "magic"}, 2, "magic"}}) {
    const auto result = ask(one.options);
    EXPECT_EQ(result.exit_status, one.exit_code) << one.says << "\n" << result.err;
    EXPECT_THAT(result.err, HasSubstr(one.says));
  }
}

// The program waits for a server that says nothing; the test sends SIGINT to it as soon as the server has its request.
TEST(Llm, CtrlCStopsAtOnce) {
  const FakeServer server({{.fault = FakeAnswer::Fault::kSilent}});
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::string pid_file = (folder->path() / "pid").string();
  std::chrono::steady_clock::time_point sent;
  std::thread user([&] {
    while (server.seen().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sent = std::chrono::steady_clock::now();
    ::kill(std::stoi(read_file(pid_file).value()), SIGINT);
  });
  const auto result = run_process({"bash",
                                   "-c",
                                   "echo $$ > \"$0\"; exec \"$@\"",
                                   pid_file,
                                   SWIZZLEPERF_PROGRAM,
                                   "optimize",
                                   kGemm,
                                   "--size",
                                   "M=4096",
                                   "--size",
                                   "N=4096",
                                   "--size",
                                   "K=512",
                                   "--gpu",
                                   "mi300x",
                                   "--proposer",
                                   "llm",
                                   "--model",
                                   "m",
                                   "--base-url",
                                   server.url() + "/v1"},
                                  {.wall = std::chrono::minutes(2)});
  user.join();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_status, 130) << result->err;
  EXPECT_THAT(result->err, HasSubstr("interrupted"));
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(10)) << "it waited for the server";
}

}  // namespace
}  // namespace swizzleperf

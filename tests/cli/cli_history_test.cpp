// optimize --proposer, --history and --resume, and the verb history.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// A small GEMM on a linear grid, declared: nothing is compiled.
constexpr const char* kGemm = R"(
name = "small gemm"
program = '''
m = pid / 32
n = pid % 32
for k in 0 .. K / 64 {
  load A[128 * m : 128, 64 * k : 64]
  load B[64 * k : 64, 128 * n : 128]
}
store C[128 * m : 128, 128 * n : 128]
'''
[launch]
grid = [1024]
block = [256]
occupancy = 1
[variants]
main = { M = 4096, N = 4096, K = 256 }
[[arrays]]
name = "A"
dtype = "fp16"
shape = ["M", "K"]
[[arrays]]
name = "B"
dtype = "fp16"
shape = ["K", "N"]
[[arrays]]
name = "C"
dtype = "fp16"
shape = ["M", "N"]
)";

class HistoryCli : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_file_atomic(file("gemm.toml"), kGemm)); }
  std::string file(const std::string& name = "history.db") const { return (folder_->path() / name).string(); }
  std::vector<std::string> command(const std::vector<std::string>& more, const std::string& history_file,
                                   const std::string& gpu = "mi300x") const {
    std::vector<std::string> all = {"optimize", file("gemm.toml"), "--gpu", gpu};
    if (!history_file.empty()) all.insert(all.end(), {"--history", history_file});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<std::string> command(const std::vector<std::string>& more) const { return command(more, file()); }
  Json optimize(std::vector<std::string> more) const {
    more.emplace_back("--json");
    const auto result = run_program(command(more));
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return Json::parse(result.out, nullptr, false);
  }
  Json history(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "history");
    arguments.insert(arguments.end(), {"--history", file()});
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

std::vector<std::string> maps_of(const Json& json) {
  std::vector<std::string> maps;
  for (const Json& one : json["candidates"]) maps.push_back(one["map"]);
  return maps;
}

TEST_F(HistoryCli, EveryProposerIsRecordedListedShownAndExported) {
  int64_t expected = 0;
  for (const char* proposer : {"search", "evolution", "bandit"}) {
    const Json json = optimize({"--proposer", proposer, "--evaluations", "20"});
    EXPECT_EQ(json["run"], ++expected);
    EXPECT_LE(json["search"]["simulated"], 21);
    const Json shown = history({"show", std::to_string(expected), "--json"});
    EXPECT_EQ(shown["proposer"], proposer);
    EXPECT_EQ(shown["verdict"], json["verdict"]);
    EXPECT_EQ(shown["simulated"], json["search"]["simulated"]);
    EXPECT_EQ(shown["tries"].size(), shown["candidates"].get<size_t>());
    EXPECT_EQ(shown["tries"][0]["predicted"]["time_ms"], json["baseline"]["time_ms"]);
  }
  EXPECT_EQ(history({"list", "--limit", "2", "--json"}).size(), 2U);
  const auto exported = run_program({"history", "export", "--history", file()});
  EXPECT_EQ(std::count(exported.out.begin(), exported.out.end(), '\n'), 3);
  EXPECT_EQ(Json::parse(exported.out.substr(0, exported.out.find('\n')))["run"], 1);
  const auto text = run_program({"history", "show", "2", "--history", file()});
  EXPECT_THAT(text.out, HasSubstr("proposer evolution"));
}

TEST_F(HistoryCli, ANewRunBeginsWithWhatWorked) {
  const Json first = optimize({"--proposer", "evolution", "--evaluations", "64"});
  const Json second = optimize({"--proposer", "search", "--evaluations", "8"});
  EXPECT_LE(second["candidates"][0]["prediction"]["time_ms"].get<double>(),
            first["candidates"][0]["prediction"]["time_ms"].get<double>());
  bool from_history = false;
  const Json shown = history({"show", "2", "--json"});
  for (const Json& one : shown["tries"]) from_history = from_history || one["proposer"] == "history";
  EXPECT_TRUE(from_history);
}

// Starts the program and kills it, without a chance to end well, as soon as its history holds `tries` tries.
void run_and_kill(std::vector<std::string> arguments, const std::function<int64_t()>& recorded, int64_t tries) {
  arguments.insert(arguments.begin(), SWIZZLEPERF_PROGRAM);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::freopen("/dev/null", "w", stdout);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (recorded() < tries && ::waitpid(child, &status, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
}

TEST_F(HistoryCli, AKilledRunGoesOnToTheSameResult) {
  const std::vector<std::string> options = {"--proposer", "evolution", "--evaluations", "600", "--seed", "5"};
  run_and_kill(
      command(options),
      [&]() -> int64_t {
        const auto list = run_program({"history", "list", "--json", "--history", file()});
        const Json json = Json::parse(list.out, nullptr, false);
        return json.is_array() && !json.empty() ? json[0]["simulated"].get<int64_t>() : 0;
      },
      17);
  const Json killed = history({"list", "--json"})[0];
  EXPECT_EQ(killed["status"], "running");
  ASSERT_LT(killed["simulated"], 601) << "it was finished before it could be killed";
  const Json resumed = optimize({"--resume", "1"});
  EXPECT_EQ(resumed["search"]["simulated"], 601);
  std::filesystem::remove(file());
  const Json whole = optimize(options);
  EXPECT_EQ(maps_of(resumed), maps_of(whole));
  EXPECT_EQ(resumed["candidates"][0]["prediction"], whole["candidates"][0]["prediction"]);
}

TEST_F(HistoryCli, AFinishedRunGoesOnWithMoreEvaluations) {
  optimize({"--proposer", "evolution", "--evaluations", "17"});
  EXPECT_EQ(optimize({"--resume", "1", "--evaluations", "33"})["search"]["simulated"], 34);
  EXPECT_EQ(history({"list", "--json"}).size(), 1U);
}

void expect_bad_input(const ProcessResult& result, const std::string& what) {
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(what));
}

TEST_F(HistoryCli, RefusesToResumeWhatIsNotTheSame) {
  expect_bad_input(run_program(command({"--resume", "1"})), "no run 1");
  optimize({"--evaluations", "4"});
  expect_bad_input(run_program(command({"--resume", "1"}, file(), "h200")), "another kernel, size or GPU");
  expect_bad_input(run_program(command({"--resume", "1", "--proposer", "bandit"})), "run 1 is of --proposer search");
  expect_bad_input(run_program(command({"--resume", "1"}, "none")), "no history to resume from");
}

TEST_F(HistoryCli, ANamedFileThatCannotBeUsedIsAnErrorAndTheDefaultOneAWarning) {
  ASSERT_TRUE(write_file_atomic(file(), std::string(5000, 'x')));
  expect_bad_input(run_program(command({"--evaluations", "4"})), "damaged or not a history");
  expect_bad_input(run_program({"history", "list", "--history", file()}), "damaged or not a history");
  std::vector<std::string> by_default = command({"--evaluations", "4"}, "");
  by_default.insert(by_default.begin(), {"env", "SWIZZLEPERF_HISTORY=" + file(), SWIZZLEPERF_PROGRAM});
  const auto result = run_process(by_default);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_status, 0);
  EXPECT_THAT(result->out, HasSubstr("verdict:"));
  EXPECT_THAT(result->err, HasSubstr("warning: this run is not recorded"));
  EXPECT_EQ(read_file(file()).value(), std::string(5000, 'x'));
}

TEST_F(HistoryCli, WithoutAHistoryThereIsNone) {
  const auto result = run_program(command({"--evaluations", "4", "--json"}, "none"));
  EXPECT_TRUE(Json::parse(result.out)["run"].is_null());
  expect_bad_input(run_program({"history", "list", "--history", file()}), "there is no history yet");
}

}  // namespace
}  // namespace swizzleperf

#include "base/process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/stop.h"

namespace swizzleperf {
namespace {

using std::chrono::milliseconds;

TEST(Process, PassesArgumentsWithoutAShell) {
  const auto result = run_process({"printf", "%s|%s", "a b; echo c", "$HOME"});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok());
  EXPECT_EQ(result->out, "a b; echo c|$HOME");
}

TEST(Process, CarriesALargeInputBothWays) {
  const std::string input(3'000'000, 'x');
  const auto result = run_process({"cat"}, {}, input);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, input);
}

TEST(Process, AChildThatIgnoresItsInputDoesNotEndUs) {
  const auto result = run_process({"true"}, {}, std::string(3'000'000, 'x'));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_status, 0);
}

TEST(Process, ReportsExitStatusAndSignals) {
  EXPECT_EQ(run_process({"sh", "-c", "exit 7"})->exit_status, 7);
  EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"})->signal, SIGSEGV);
}

TEST(Process, KillsTheWholeGroupAtTheTimeLimit) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_process({"sh", "-c", "sleep 60 & sleep 60"}, {.wall = milliseconds(200)});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_FALSE(result->ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Process, AChildThatClosesItsOutputIsStillTimed) {
  const auto result = run_process({"sh", "-c", "exec >&- 2>&-; sleep 60"}, {.wall = milliseconds(200)});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
}

TEST(Process, LimitsMemory) {
  const ProcessLimits limits = {.wall = milliseconds(20'000), .memory_bytes = size_t{64} << 20};
  const auto result = run_process({"sh", "-c", "head -c 200000000 /dev/zero | tail -c 200000000 | wc -c"}, limits);
  ASSERT_TRUE(result);
  EXPECT_NE(result->out, "200000000\n");
}

TEST(Process, DropsOutputBeyondTheLimit) {
  const auto result = run_process({"head", "-c", "100000", "/dev/zero"}, {.output_bytes = 1000});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out.size(), 1000U);
  EXPECT_TRUE(result->ok());
}

TEST(Process, AMissingProgramIsMissing) {
  const auto result = run_process({"no-such-program-anywhere"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().blame, Blame::kMissing);
}

TEST(Process, AStopThatIsAskedForEndsTheChildAndCanBeTakenBack) {
  std::thread stopper([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    request_stop(true);
  });
  const auto stopped = run_process({"sleep", "60"});
  stopper.join();
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(stopped->interrupted);
  request_stop(false);
  EXPECT_FALSE(interrupted());
  EXPECT_TRUE(run_process({"true"})->ok());
}

}  // namespace
}  // namespace swizzleperf

// The measuring verbs on a machine without a GPU: jobs for another machine, and answers from there.
#include <nlohmann/json.hpp>

#include "program.h"

namespace swizzleperf {
namespace {

TEST(Measure, WithoutADeviceItIsMissingWithAdvice) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  const auto result = run_program(
      {"measure", source_path("examples/elementwise/elementwise_cuda.toml"), "--gpu", "h200", "--variant", "verify"});
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_NE(result.err.find("libcuda.so"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("doctor"), std::string::npos) << result.err;
}

TEST(Measure, TheJobHoldsTheLaunchOrderTwiceAndEveryMap) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto job = folder->path() / "case.job";
  const auto result =
      run_program({"measure", source_path("examples/elementwise/elementwise_cuda.toml"), "--gpu", "h200", "--variant",
                   "verify", "--map", "pid = num_wgs - 1 - wg", "--job", job.string()});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const std::string text = read_file(job).value();
  EXPECT_EQ(text.rfind("swizzleperf-job 1\napi cuda\n", 0), 0U);
  for (const char* variant : {"variant 7\ndefault\n", "variant 13\ndefault again\n", "variant 18\nremap switched off\n",
                              "variant 5\nmap 1\n"})
    EXPECT_NE(text.find(variant), std::string::npos) << variant;
  EXPECT_NE(text.find("num_wgs - 1 - wg"), std::string::npos);
}

TEST(Measure, AMapThatLosesWorkIsRefused) {
  const auto result = run_program({"measure", source_path("examples/elementwise/elementwise_cuda.toml"), "--gpu",
                                   "h200", "--variant", "verify", "--map", "pid = wg / 2"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.err.find("not a bijection"), std::string::npos) << result.err;
}

TEST(Measured, ARecordedAnswerWithItsCounters) {
  const std::string answer = source_path("tests/data/profiles/runner_gemm.json");
  const auto text = run_program({"measured", answer});
  EXPECT_EQ(text.exit_status, 0);
  EXPECT_NE(text.out.find("NVIDIA H200"), std::string::npos);
  EXPECT_NE(text.out.find("rejected: bad: argument 3: 524288 elements differ"), std::string::npos) << text.out;
  const auto json = run_program({"measured", answer, "--json"});
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed.at("kind"), "measured");
  EXPECT_NEAR(parsed.at("variants").at(2).at("cold_speedup").at("value").get<double>(), 1.064, 1e-3);
  // Counters of another run: three launches, not four.
  const auto other = run_program({"measured", answer, "--counters", source_path("tests/data/profiles/ncu_raw.txt")});
  EXPECT_EQ(other.exit_status, 2);
  EXPECT_NE(other.err.find("counted 3 launches, 4 were made"), std::string::npos) << other.err;
}

TEST(Doctor, SaysOfEveryToolWhetherItIsThere) {
  const auto result = run_program({"doctor", "--json"});
  EXPECT_EQ(result.exit_status, 0);
  const auto findings = nlohmann::json::parse(result.out);
  ASSERT_GE(findings.size(), 8U);
  for (const auto& finding : findings) {
    EXPECT_FALSE(finding.at("detail").get<std::string>().empty()) << finding;
    EXPECT_FALSE(finding.at("serves").get<std::string>().empty()) << finding;
  }
  EXPECT_TRUE(findings.at(0).at("present"));  // the data files of this very run
}

TEST(Probe, WritesItsJobsForAnotherMachine) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto result = run_program({"probe", "--jobs", folder->path().string(), "--units", "132"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  for (const char* name : {"place.job", "sides.job", "cliff.job"})
    EXPECT_TRUE(std::filesystem::exists(folder->path() / name)) << name;
  EXPECT_EQ(run_program({"probe", "--jobs", folder->path().string()}).exit_status, 2);
}

}  // namespace
}  // namespace swizzleperf

// The runner as a child process, on a driver without a GPU (fake_cuda.cpp).
#include "measure/runner.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "workload/contents.h"

namespace swizzleperf {
namespace {

constexpr int kElements = 40'000'000 / 4;

class Runner : public testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("LD_LIBRARY_PATH", FAKE_CUDA_FOLDER, 1); }
  static void TearDownTestSuite() { ::unsetenv("LD_LIBRARY_PATH"); }

  static runner::Job job(const std::vector<std::string>& sources, int elements = 1000) {
    runner::Job job;
    job.kernel = "k";
    job.file = "k.cu";
    job.energy_ms = 0;
    job.budget_ms = 1;
    const int32_t count = elements;
    job.arguments = {{.buffer = true,
                      .dtype = DType::kF32,
                      .elements = elements,
                      .init = {.kind = ContentsRule::Kind::kRandom, .seed = 5}},
                     {.buffer = true, .dtype = DType::kF32, .elements = elements, .output = true, .poisoned = true},
                     {.bytes = std::string(reinterpret_cast<const char*>(&count), sizeof count)}};
    for (const std::string& source : sources)
      job.variants.push_back({"v" + std::to_string(job.variants.size()), source});
    return job;
  }
};

TEST_F(Runner, TimesComeFromTheDeviceAndRatiosFromThem) {
  const auto measurement = run_job(job({"COPY TAKES(20)", "COPY TAKES(20)", "COPY TAKES(10)"}));
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_EQ(measurement->device, "Fake GPU");
  EXPECT_GE(measurement->rounds, 11);
  const auto& variants = measurement->variants;
  ASSERT_EQ(variants.size(), 3U);
  EXPECT_NEAR(variants[0].cold_median_ms, 0.02, 1e-6);
  EXPECT_NEAR(variants[0].warm_median_ms, 0.02, 1e-6);
  EXPECT_FALSE(variants[1].cold.faster() || variants[1].cold.slower());
  EXPECT_NEAR(variants[2].cold.value, 2, 1e-3);
  EXPECT_TRUE(variants[2].cold.faster());
  ASSERT_FALSE(measurement->warnings.empty());  // no clocks to be read
}

TEST_F(Runner, OneElementLeftOutOfManyIsFoundAndNothingIsTimed) {
  const auto measurement = run_job(job({"COPY", "COPY SKIP", "COPY"}, kElements));
  ASSERT_TRUE(measurement) << measurement.error().message;
  const VariantMeasurement& skipping = measurement->variants.at(1);
  EXPECT_FALSE(skipping.equal);
  EXPECT_NE(skipping.difference.find("1 elements differ before timing, the first is 9999999: 0xfbfbfbfb"),
            std::string::npos)
      << skipping.difference;
  EXPECT_TRUE(skipping.cold_ms.empty());
  EXPECT_TRUE(measurement->variants.at(2).equal);
}

TEST_F(Runner, NotANumberEqualsNothing) {
  runner::Job one = job({"COPY", "COPY"});
  one.arguments[0].init.kind = ContentsRule::Kind::kData;
  one.arguments[0].bytes = std::string(4000, '\xFF');
  const auto measurement = run_job(one);
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_FALSE(measurement->variants.at(1).equal);
}

TEST_F(Runner, ContentsAreThoseOfTheCpu) {
  runner::Job one = job({"COPY"});
  one.task = runner::Task::kRead;
  const auto result = run_process({find_runner()->string()}, {.memory_bytes = 0}, runner::print_job(one));
  ASSERT_TRUE(result && result->ok());
  const auto outputs = nlohmann::json::parse(result->out).at("variants").at(0).at("outputs").at(0);
  std::vector<float> expected(1000);
  fill_elements(DType::kF32, one.arguments[0].init, 0, 1000, expected.data());
  EXPECT_EQ(outputs.get<std::vector<float>>(), expected);
}

TEST_F(Runner, AFaultEndsTheRunWithTheVariantsName) {
  const auto measurement = run_job(job({"COPY", "COPY FAULT"}));
  ASSERT_FALSE(measurement);
  EXPECT_EQ(measurement.error().message,
            "the device failed with 'v1': running the kernel: error 700, an illegal memory access was encountered");
}

TEST_F(Runner, AHangIsKilledAndReported) {
  const auto measurement = run_job(job({"COPY", "HANG"}), std::chrono::seconds(2));
  ASSERT_FALSE(measurement);
  EXPECT_NE(measurement.error().message.find("did not end within 2 s and was killed"), std::string::npos);
}

TEST_F(Runner, ASourceThatDoesNotCompileIsReportedInTheCompilersWords) {
  const auto measurement = run_job(job({"COPY", "SYNTAX"}));
  ASSERT_FALSE(measurement);
  EXPECT_EQ(measurement.error().message, "the kernel does not compile with 'v1': k.cu: bad");
}

TEST_F(Runner, WithoutADriverItIsMissing) {
  ::unsetenv("LD_LIBRARY_PATH");
  const auto measurement = run_job(job({"COPY"}));
  ::setenv("LD_LIBRARY_PATH", FAKE_CUDA_FOLDER, 1);
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  ASSERT_FALSE(measurement);
  EXPECT_EQ(measurement.error().blame, Blame::kMissing);
}

}  // namespace
}  // namespace swizzleperf

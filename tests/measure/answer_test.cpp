// What the runner answered on an H200, read.
#include "measure/answer.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "measure/runner.h"

namespace swizzleperf {
namespace {

Expected<Measurement> recorded(const std::string& name) {
  return read_answer(read_file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/profiles/" + name).value());
}

TEST(Answer, RecordedGemm) {
  const auto measurement = recorded("runner_gemm.json");
  ASSERT_TRUE(measurement);
  EXPECT_EQ(measurement->device, "NVIDIA H200");
  EXPECT_EQ(measurement->driver, "580.159.04");
  EXPECT_EQ(measurement->rounds, 11);
  EXPECT_EQ(measurement->note, "{\"x\":1}");
  ASSERT_EQ(measurement->variants.size(), 4U);
  const VariantMeasurement &again = measurement->variants[1], &grouped = measurement->variants[2],
                           &bad = measurement->variants[3];
  EXPECT_NEAR(measurement->variants[0].cold_median_ms, 20.138, 1e-3);
  EXPECT_FALSE(again.cold.faster());
  EXPECT_FALSE(again.cold.slower());
  EXPECT_TRUE(grouped.cold.faster());
  EXPECT_NEAR(grouped.cold.value, 1.064, 1e-3);
  EXPECT_NEAR(grouped.energy_mj.value(), 7433, 1);
  EXPECT_TRUE(grouped.equal);
  EXPECT_FALSE(bad.equal);
  EXPECT_NE(bad.difference.find("524288 elements differ before timing"), std::string::npos);
  EXPECT_TRUE(bad.cold_ms.empty());
}

TEST(Answer, FailuresOfTheRunAreErrorsWithTheirBlame) {
  const auto fault = recorded("runner_fault.json"), syntax = recorded("runner_syntax.json");
  ASSERT_FALSE(fault);
  EXPECT_NE(fault.error().message.find("illegal memory access"), std::string::npos);
  EXPECT_EQ(fault.error().blame, Blame::kUser);
  ASSERT_FALSE(syntax);
  EXPECT_NE(syntax.error().message.find("expected an expression"), std::string::npos);
  const auto none = read_answer(R"({"format":1,"error":{"kind":"missing","message":"m","variant":""}})");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().blame, Blame::kMissing);
}

TEST(Answer, WhatIsNoAnswerIsAnInternalError) {
  for (const char* text : {"", "[]", "{}", "{\"format\":1}", "null", "{\"error\":{}}"}) {
    const auto answer = read_answer(text);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().blame, Blame::kInternal);
  }
}

TEST(DeviceNames, CudaAndHipWithANumber) {
  EXPECT_EQ(parse_device("cuda:0")->index, 0);
  EXPECT_EQ(parse_device("hip:3")->index, 3);
  EXPECT_EQ(parse_device("hip")->api, runner::Api::kHip);
  for (const char* text : {"", "cuda:", "cuda:-1", "cuda:x", "gpu:0", "cuda:1:2", "0"})
    EXPECT_FALSE(parse_device(text)) << text;
}

}  // namespace
}  // namespace swizzleperf

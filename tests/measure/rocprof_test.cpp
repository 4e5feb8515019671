// The parser of rocprofv3's output, against texts written after its documented formats.
#include "measure/rocprof.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace swizzleperf {
namespace {

std::string sample(const std::string& name) {
  return read_file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/profiles/" + name).value();
}

TEST(Rocprof, CountersOfALaunchComeTogether) {
  const auto launches = parse_rocprof(sample("rocprofv3_counter_collection.csv"));
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->size(), 2U);
  const Counters first = counters_of_rocprof(launches->front());
  EXPECT_EQ(first.l2_requests, 1500000);
  EXPECT_DOUBLE_EQ(first.l2_hit_rate().value(), 0.8);
  EXPECT_EQ(first.l2_miss_bytes, (37500 + 4096) * 1024);
  EXPECT_NEAR(first.time_ms.value(), 0.1, 1e-9);
  EXPECT_FALSE(counters_of_rocprof(launches->back()).l2_miss_bytes);
}

TEST(Rocprof, XcdsAreSummedNotAveraged) {
  const auto launches = parse_rocprof(
      "W20261201 some log line\n"
      "\"Dispatch_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\"\n"
      "1,\"k(int, int)\",\"TCC_HIT[0]\",90\n1,\"k(int, int)\",\"TCC_MISS[0]\",10\n"
      "1,\"k(int, int)\",\"TCC_HIT[1]\",0\n1,\"k(int, int)\",\"TCC_MISS[1]\",900\n");
  ASSERT_TRUE(launches);
  EXPECT_DOUBLE_EQ(counters_of_rocprof(launches->front()).l2_hit_rate().value(), 0.09);
}

TEST(Rocprof, PassesOfSeveralRunsJoinByTheOrderOfLaunches) {
  const std::string head = "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n";
  const auto launches = parse_rocprof(head + "5,k,TCC_HIT_sum,3\n6,k,TCC_HIT_sum,4\n" + head +
                                      "9,k,TCC_MISS_sum,1\n10,k,TCC_MISS_sum,4\n");
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->size(), 2U);
  EXPECT_DOUBLE_EQ(counters_of_rocprof(launches->at(0)).l2_hit_rate().value(), 0.75);
  EXPECT_DOUBLE_EQ(counters_of_rocprof(launches->at(1)).l2_hit_rate().value(), 0.5);
}

TEST(Rocprof, WideTablesOfItsPredecessors) {
  const auto launches =
      parse_rocprof("Index,KernelName,BeginNs,EndNs,TCC_HIT_sum,TCC_MISS_sum\n0,\"k(a, b)\",1000,3000,75,25\n");
  ASSERT_TRUE(launches);
  const Counters counters = counters_of_rocprof(launches->front());
  EXPECT_DOUBLE_EQ(counters.time_ms.value(), 0.002);
  EXPECT_DOUBLE_EQ(counters.l2_hit_rate().value(), 0.75);
}

TEST(Rocprof, JsonSumsTheRecordsOfACounter) {
  const auto launches = parse_rocprof(sample("rocprofv3_results.json"));
  ASSERT_TRUE(launches) << launches.error().message;
  const Counters counters = counters_of_rocprof(launches->front());
  EXPECT_EQ(launches->front().kernel, "gemm");
  EXPECT_EQ(counters.l2_requests, 1250);
  EXPECT_DOUBLE_EQ(counters.time_ms.value(), 0.25);
}

TEST(Rocprof, NoTableIsAnError) {
  for (const char* text : {"", "rocprofv3: error\n", "{}", "{\"rocprofiler-sdk-tool\": []}", "{",
                           "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n"})
    EXPECT_FALSE(parse_rocprof(text)) << text;
}

}  // namespace
}  // namespace swizzleperf

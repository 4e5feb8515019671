// The parser of ncu's output against what ncu printed on an H200, and against what users report of other versions.
#include "measure/ncu.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace swizzleperf {
namespace {

std::string recorded(const std::string& name) {
  return read_file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/profiles/" + name).value();
}

constexpr const char* kHeader = R"("ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value")";

std::string long_table(const std::string& rows) {
  return std::string("==PROF== Connected to process 1\nsome output, with commas, of the program\n") + kHeader + "\n" +
         rows;
}

TEST(Ncu, RecordedRawPageGivesTheThreeLaunchesInOrder) {
  const auto launches = parse_ncu(recorded("ncu_raw.txt"));
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->size(), 3U);
  for (const ProfiledLaunch& launch : *launches) {
    EXPECT_EQ(launch.kernel.rfind("matrix_gemm(", 0), 0U);
    const Counters counters = counters_of_ncu(launch, 2 * 2048 * 256 * 2);
    EXPECT_TRUE(counters.flags.empty()) << counters.flags.front();
    EXPECT_NEAR(counters.time_ms.value(), 0.0317, 0.001);
    EXPECT_NEAR(static_cast<double>(counters.dram_read_bytes.value()), 2.13e6, 2e4);
    EXPECT_NEAR(counters.l2_hit_rate().value(), 0.97, 0.02);
  }
}

TEST(Ncu, RecordedPagesAgree) {
  const auto raw = parse_ncu(recorded("ncu_raw.txt")), details = parse_ncu(recorded("ncu_details.txt"));
  ASSERT_TRUE(raw && details);
  ASSERT_EQ(details->size(), 3U);
  const Counters a = counters_of_ncu(raw->front(), 0), b = counters_of_ncu(details->front(), 0);
  EXPECT_NEAR(static_cast<double>(*a.l2_requests), static_cast<double>(*b.l2_requests), 1e5);
  EXPECT_NEAR(static_cast<double>(*a.dram_read_bytes), static_cast<double>(*b.dram_read_bytes), 1e4);
}

TEST(Ncu, ValuesOfSingleInstancesBehindTheSumAreLeftOut) {
  const auto launches = parse_ncu(recorded("ncu_instances.txt"));
  ASSERT_TRUE(launches);
  EXPECT_NEAR(launches->front().figure("lts__t_sectors.sum").value(), 3.2e6, 1e5);
}

TEST(Ncu, NothingProfiledAndFailedReplaysAreErrorsInItsWords) {
  const auto none = parse_ncu(recorded("ncu_wrong_kernel.txt"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "ncu profiled no kernel");
  const auto failed = parse_ncu(recorded("ncu_app_range.txt"));
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("Unexpected number of profiled kernels"), std::string::npos);
}

TEST(Ncu, RestrictedCountersAreMissingWithAdvice) {
  const auto denied =
      parse_ncu("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU\n");
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().blame, Blame::kMissing);
  EXPECT_NE(denied.error().advice.find("NVreg_RestrictProfilingToAdminUsers"), std::string::npos);
}

TEST(Ncu, WarmCachesShowAsTooFewBytes) {
  const auto launches = parse_ncu(recorded("ncu_cache_none.txt"));
  ASSERT_TRUE(launches);
  const Counters counters = counters_of_ncu(launches->back(), 2 * 2048 * 256 * 2);
  EXPECT_FALSE(counters.dram_read_bytes) << *counters.dram_read_bytes;
  ASSERT_FALSE(counters.flags.empty());
}

TEST(Ncu, UnitsScale) {
  const auto launches =
      parse_ncu(long_table("\"0\",\"1\",\"k\",\"dram__bytes_read.sum\",\"Mbyte\",\"2.13\"\n"
                           "\"0\",\"1\",\"k\",\"gpu__time_duration.sum\",\"usecond\",\"31.84\"\n"));
  ASSERT_TRUE(launches);
  const Counters counters = counters_of_ncu(launches->front(), 0);
  EXPECT_EQ(counters.dram_read_bytes, 2130000);
  EXPECT_DOUBLE_EQ(counters.time_ms.value(), 0.03184);
}

TEST(Ncu, ImpossibleFiguresAreFlaggedAndNotUsed) {
  const auto launches =
      parse_ncu(long_table("\"0\",\"1\",\"k\",\"lts__t_sectors_srcunit_tex.sum\",\"sector\",\"1,000\"\n"
                           "\"0\",\"1\",\"k\",\"lts__t_sectors_srcunit_tex_lookup_hit.sum\",\"sector\",\"1,200\"\n"
                           "\"0\",\"1\",\"k\",\"lts__t_sector_hit_rate.pct\",\"%\",\"120.00\"\n"
                           "\"0\",\"1\",\"k\",\"gpu__time_duration.sum\",\"ns\",\"0\"\n"
                           "\"1\",\"1\",\"k\",\"lts__t_sectors_srcunit_tex.sum\",\"sector\",\"0\"\n"
                           "\"1\",\"1\",\"k\",\"dram__bytes_read.sum\",\"byte\",\"0\"\n"
                           "\"1\",\"1\",\"k\",\"dram__bytes_write.sum\",\"byte\",\"n/a\"\n"));
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->size(), 2U);
  const Counters above = counters_of_ncu(launches->at(0), 0), zero = counters_of_ncu(launches->at(1), 0);
  EXPECT_EQ(above.flags.size(), 3U);
  EXPECT_FALSE(above.l2_hits || above.l2_requests || above.time_ms || above.l2_hit_rate());
  EXPECT_EQ(zero.flags.size(), 1U);
  EXPECT_FALSE(zero.dram_read_bytes || zero.dram_write_bytes || zero.l2_requests);
}

TEST(ProfilerNumber, EverySeparatorThatUsersMeet) {
  EXPECT_EQ(profiler_number("1,234,567"), 1234567);
  EXPECT_EQ(profiler_number("31,840"), 31840);
  EXPECT_EQ(profiler_number("9,858,923.30"), 9858923.30);
  EXPECT_EQ(profiler_number("9.858.923,30"), 9858923.30);
  EXPECT_EQ(profiler_number("1.234.567"), 1234567);
  EXPECT_EQ(profiler_number("95,4"), 95.4);
  EXPECT_EQ(profiler_number("95.41"), 95.41);
  EXPECT_EQ(profiler_number("1 234 567"), 1234567);
  EXPECT_EQ(profiler_number("1\xE2\x80\xAF"
                            "234,5"),
            1234.5);
  EXPECT_EQ(profiler_number("1\xC2\xA0"
                            "234"),
            1234);
  EXPECT_EQ(profiler_number("3,213,881 (33,100; 33,480)"), 3213881);
  EXPECT_EQ(profiler_number("1.5e+09"), 1.5e9);
  EXPECT_EQ(profiler_number("-1"), -1);
  for (const char* none : {"", "n/a", "nan", "(16, 16, 1)", "runner", "-", "1-2"})
    EXPECT_FALSE(profiler_number(none)) << none;
}

TEST(Csv, QuotesHoldCommasAndQuotes) {
  EXPECT_EQ(split_csv_line(R"("a, b",c,"d ""e""",)"), (std::vector<std::string>{"a, b", "c", "d \"e\"", ""}));
}

}  // namespace
}  // namespace swizzleperf

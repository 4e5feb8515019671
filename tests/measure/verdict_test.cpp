#include "measure/verdict.h"

#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

VariantMeasurement variant(const std::string& name, double cold, double low, double high, int64_t bytes) {
  VariantMeasurement v{.name = name, .cold = {cold, low, high}, .warm = {cold, low, high}};
  v.counters = Counters{.dram_read_bytes = bytes};
  return v;
}

Measurement measurement(std::vector<VariantMeasurement> others) {
  Measurement m;
  m.variants = {variant("default", 1, 1, 1, 1000), variant("default again", 1, 0.995, 1.004, 1000),
                variant("remap switched off", 1.2, 1.19, 1.21, 1000)};
  m.variants.insert(m.variants.end(), others.begin(), others.end());
  return m;
}

TEST(Verdict, TheFastestWhoseTrafficMovedAsPredicted) {
  const auto verdict = judge(measurement({variant("a", 1.05, 1.04, 1.06, 500), variant("b", 1.08, 1.07, 1.09, 480)}),
                             {{1000}, {1000}, {1000}, {500}, {500}});
  EXPECT_EQ(verdict.verdict, "apply");
  EXPECT_EQ(verdict.chosen, 4);
  EXPECT_FALSE(verdict.confirm);
}

TEST(Verdict, TimeWithoutItsTrafficIsNotTheCachesDoing) {
  const auto verdict = judge(measurement({variant("a", 1.15, 1.14, 1.16, 1000)}), {{1000}, {1000}, {1000}, {500}});
  EXPECT_EQ(verdict.verdict, "no gain");
  EXPECT_NE(verdict.reason.find("did not move as predicted"), std::string::npos);
}

TEST(Verdict, WithinTheNoiseIsNoGain) {
  EXPECT_EQ(judge(measurement({variant("a", 1.003, 1.001, 1.005, 500)}), {{1000}, {1000}, {1000}, {500}}).chosen, -1);
  EXPECT_EQ(judge(measurement({variant("a", 1.05, 0.99, 1.1, 500)}), {{1000}, {1000}, {1000}, {500}}).chosen, -1);
}

TEST(Verdict, SlowerWhenWarmIsNoGain) {
  auto one = variant("a", 1.05, 1.04, 1.06, 500);
  one.warm = {0.97, 0.96, 0.98};
  EXPECT_EQ(judge(measurement({one}), {{1000}, {1000}, {1000}, {500}}).chosen, -1);
}

TEST(Verdict, OtherOutputsAreNeverChosen) {
  auto one = variant("a", 3, 2.9, 3.1, 500);
  one.equal = false;
  EXPECT_EQ(judge(measurement({one}), {{1000}, {1000}, {1000}, {500}}).chosen, -1);
}

TEST(Verdict, AboveTwiceIsToBeConfirmed) {
  EXPECT_TRUE(judge(measurement({variant("a", 2.5, 2.4, 2.6, 200)}), {{1000}, {1000}, {1000}, {300}}).confirm);
}

TEST(Verdict, WithoutCountersTimeDecides) {
  auto m = measurement({variant("a", 1.05, 1.04, 1.06, 0)});
  for (auto& v : m.variants) v.counters.reset();
  EXPECT_EQ(judge(m, {{1000}, {1000}, {1000}, {500}}).chosen, 3);
}

}  // namespace
}  // namespace swizzleperf

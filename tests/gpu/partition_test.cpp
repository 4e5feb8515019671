#include "gpu/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swizzleperf {
namespace {

using testing::HasSubstr;

TEST(Partition, OfAPathIsWhatFollowsTheLastColon) {
  EXPECT_EQ(split_part("mi300x"), std::pair(std::string("mi300x"), std::string()));
  EXPECT_EQ(split_part("mi300x:cpx,cus=32"), std::pair(std::string("mi300x"), std::string("cpx,cus=32")));
  EXPECT_EQ(split_part("./a:b/mine.toml"), std::pair(std::string("./a:b/mine.toml"), std::string()));
  EXPECT_EQ(split_part("./a:b/mine.toml:dpx"), std::pair(std::string("./a:b/mine.toml"), std::string("dpx")));
}

TEST(Partition, EveryModeOfEveryGpuSharesOutTheWhole) {
  int modes = 0;
  for (const auto& name : known_gpus()) {
    const GpuSpec whole = load_gpu(name).value();
    for (const auto& [mode, domains] : whole.partitions) {
      ++modes;
      const auto part = load_gpu(name + ":" + mode);
      ASSERT_TRUE(part) << name << ":" << mode;
      EXPECT_EQ(part->domains, domains);
      EXPECT_EQ(part->l2.bytes, whole.l2.bytes);
      for (const auto& [dtype, rate] : whole.peak_flops)
        EXPECT_DOUBLE_EQ(part->peak_flops.at(dtype) * static_cast<double>(whole.domains / domains), rate);
    }
  }
  EXPECT_GE(modes, 20);
}

TEST(Partition, FewerUnitsLeaveDomainsAndCaches) {
  const GpuSpec whole = load_gpu("mi300x").value();
  const GpuSpec part = load_gpu("MI300X:CPX,cus=19").value();
  EXPECT_EQ(part.domains, 1);
  EXPECT_EQ(part.cus_per_domain, 19);
  EXPECT_DOUBLE_EQ(part.peak_flops.at("fp16") * 16, whole.peak_flops.at("fp16"));
  EXPECT_EQ(part.dram_bytes_per_second, whole.dram_bytes_per_second);
  EXPECT_EQ(part.name, "MI300X:CPX,cus=19");
  EXPECT_EQ(load_gpu("h200:cus=100").value().cus_per_domain, 100);
}

TEST(Partition, WhatTheGpuDoesNotHaveIsRefused) {
  for (const char* bad : {"mi300x:tpx", "mi300x:cus=39", "mi300x:cus=0", "mi300x:cus=", "mi300x:cus=8x", "mi300x:,cpx",
                          "mi300x:cus=99999999999999999999", "h200:cpx"}) {
    const auto part = load_gpu(bad);
    ASSERT_FALSE(part) << bad;
    EXPECT_EQ(part.error().blame, Blame::kUser);
    EXPECT_THAT(describe(part.error()), HasSubstr("--gpu"));
  }
}

}  // namespace
}  // namespace swizzleperf

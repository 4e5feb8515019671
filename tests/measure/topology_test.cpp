#include "measure/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/file.h"
#include "base/process.h"
#include "gpu/gpu_spec.h"
#include "measure/probe.h"

namespace swizzleperf {
namespace {

// 132 units, every third on the far side of half of the lines.
std::vector<std::vector<double>> latencies(double far, double noise) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, noise);
  std::vector<std::vector<double>> result;
  for (int unit = 0; unit < 132; ++unit) {
    result.emplace_back();
    for (int line = 0; line < kSideLines; ++line) {
      const bool other = (unit % 3 == 1) != (line % 2 == 1);
      result.back().push_back(600 + (other ? far : 0) + unit % 5 * 10 + normal(random));
    }
  }
  return result;
}

TEST(Sides, TwoGroupsAreFoundThroughNoise) {
  const auto sides = split_sides(latencies(150, 40));
  ASSERT_EQ(sides.size(), 132U);
  for (int unit = 0; unit < 132; ++unit) EXPECT_EQ(sides[static_cast<size_t>(unit)], unit % 3 == 1 ? 1 : 0) << unit;
}

TEST(Sides, NoiseAloneShowsNone) {
  EXPECT_TRUE(split_sides(latencies(0, 40)).empty());
  EXPECT_TRUE(split_sides(std::vector<std::vector<double>>(132, std::vector<double>(kSideLines, 600))).empty());
}

TEST(Cliff, IsWhereTheRateFalls) {
  std::vector<CliffPoint> curve;
  for (int i = 1; i <= 40; ++i) curve.push_back({i * 1000, i <= 17 ? 5.0 : 3.0});
  EXPECT_EQ(find_cliff(curve), 17000);
  curve[30].bytes_per_second = 9;  // a single fast point is noise
  EXPECT_EQ(find_cliff(curve), 17000);
  for (CliffPoint& point : curve) point.bytes_per_second = 4;
  EXPECT_EQ(find_cliff(curve), 0);
  EXPECT_EQ(find_cliff({}), 0);
}

// What four XCDs of 10 units would answer.
std::vector<DeviceOutputs> answers_of_xcds() {
  constexpr int kUnits = 40;
  DeviceOutputs place{.device = "GPU", .compute_units = kUnits, .l2_bytes = 16 << 20};
  std::vector<double> units, domains, starts;
  for (int w = 0; w < kUnits * kPlaceWaves; ++w) {
    units.push_back(w / 4 % 10);
    domains.push_back((w + 1) % 4);  // begins anywhere
    starts.push_back(w / kUnits * 200'000.0);
  }
  place.variants = {{units, domains, starts}};
  DeviceOutputs sides = place, cliff = place;
  sides.variants = {{std::vector<double>(kUnits), std::vector<double>(kUnits * kSideLines, 500)}};
  std::vector<double> took(kCliffSteps, 1000);
  cliff.variants = {{{1}, took}, {{1}, took}};
  return {place, sides, cliff};
}

TEST(Topology, DomainsAndDispatchAreReadOffWhereWorkgroupsRan) {
  const auto topology = read_topology(answers_of_xcds(), runner::Api::kHip);
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->domains, 4);
  EXPECT_EQ(topology->units_seen, 40);
  EXPECT_DOUBLE_EQ(topology->round_robin, 1);
  EXPECT_DOUBLE_EQ(topology->in_launch_order, 1);
}

TEST(Topology, TheGpuFileIsOneThatTheModelReads) {
  const auto topology = read_topology(answers_of_xcds(), runner::Api::kHip);
  const auto base = read_file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/gpus/mi300x.toml");
  ASSERT_TRUE(topology && base);
  const auto text = gpu_file(*topology, *base, "2026-12-01");
  ASSERT_TRUE(text) << text.error().message;
  const auto gpu = parse_gpu(*text, "mine.toml");
  ASSERT_TRUE(gpu) << gpu.error().message;
  EXPECT_EQ(gpu->name, "GPU");
  EXPECT_EQ(gpu->domains, 4);
  EXPECT_EQ(gpu->cus_per_domain, 10);
  EXPECT_EQ(gpu->l2.bytes, 4 << 20);
}

TEST(Topology, OtherAnswersAreRefused) {
  auto answers = answers_of_xcds();
  answers.pop_back();
  EXPECT_FALSE(read_topology(answers, runner::Api::kHip));
  EXPECT_FALSE(read_topology({}, runner::Api::kHip));
}

TEST(Probe, TheKernelsCompileForHip) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto source = folder->path() / "probe.hip";
  ASSERT_TRUE(write_file_atomic(source, probe_source()));
  const std::string shim = std::string(SWIZZLEPERF_SOURCE_DIR) + "/src/frontend/clike/device_shim";
  const auto result =
      run_process({"clang++-19", "-std=c++20", "-x", "hip", "--offload-arch=gfx942", "--cuda-device-only", "-nogpulib",
                   "-nogpuinc", "-I" + shim, "-include", "hip/hip_runtime.h", "-S", "-o",
                   (folder->path() / "probe.s").string(), source.string()});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok()) << result->err;
  const auto assembly = read_file(folder->path() / "probe.s");
  ASSERT_TRUE(assembly);
  EXPECT_NE(assembly->find("s_getreg_b32"), std::string::npos);  // XCC_ID is read
}

}  // namespace
}  // namespace swizzleperf

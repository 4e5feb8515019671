// Whole launches: fits, predictions, and comparisons of a rewritten kernel with its original.
#include <gmock/gmock.h>

#include <numeric>

#include "frontend/clike/trace.h"
#include "model/model.h"
#include "tests/triton/samples.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;

std::string gemm_arguments() {
  return buffer("a", "fp16", "M * K") + buffer("b", "fp16", "K * N") + buffer("c", "fp16", "M * N", "output = true") +
         scalar("m", "M") + scalar("n", "N") + scalar("k", "K");
}

Case gemm_tile(const std::string& version, const std::string& sizes) {
  return triton_case("gemm_tile", sample("gemm_tile", version), "[\"ceil_div(N, 128)\", \"ceil_div(M, 128)\"]",
                     gemm_arguments(), sizes);
}

// The lines of each phase that a tile requests, by array and kind, with how often.
std::map<std::tuple<int64_t, int, int, int64_t>, int64_t> requests(const Workload& w, int64_t tile) {
  std::map<std::tuple<int64_t, int, int, int64_t>, int64_t> result;
  const int64_t first = w.tile_begin[static_cast<size_t>(tile)];
  for (int64_t p = first; p < w.tile_begin[static_cast<size_t>(tile) + 1]; ++p) {
    for (auto a = static_cast<size_t>(w.phase_begin[static_cast<size_t>(p)]);
         a < static_cast<size_t>(w.phase_begin[static_cast<size_t>(p) + 1]); ++a) {
      const Access& access = w.accesses[a];
      for (const Segment& s : w.patterns[static_cast<size_t>(access.pattern)].segments)
        result[{p - first, access.array, static_cast<int>(access.kind), access.origin + s.offset}] +=
            s.bytes * s.repeat;
    }
  }
  return result;
}

TEST(TritonWorkload, AGemmIsTheSameInHipAndInTriton) {
  auto hip = load_case(std::string(SWIZZLEPERF_SOURCE_DIR) + "/examples/gemm/gemm.toml");
  ASSERT_TRUE(hip) << describe(hip.error());
  const auto gpu = load_gpu("mi300x");
  ASSERT_TRUE(gpu) << describe(gpu.error());
  const auto instance = hip->instance("8192", {{"M", 1024}, {"N", 2048}, {"K", 512}});
  ASSERT_TRUE(instance);
  const auto kernel = analyse_source(*hip);
  ASSERT_TRUE(kernel) << describe(kernel.error());
  const auto traced = TracedKernel::compile(*hip, *kernel, kernel->source);
  ASSERT_TRUE(traced) << describe(traced.error());
  auto expected = trace_workload(*traced, *instance, gpu->wave_lanes);
  ASSERT_TRUE(expected) << describe(expected.error());

  const Case triton = gemm_tile("3.9", "M = 1024, N = 2048, K = 512");
  const auto triton_kernel = TritonKernel::open(triton, "main");
  ASSERT_TRUE(triton_kernel) << describe(triton_kernel.error());
  auto seen = triton_workload(*triton_kernel, *triton.instance("main"), *gpu);
  ASSERT_TRUE(seen) << describe(seen.error());
  for (const int64_t tile : {0L, 17L, 127L}) EXPECT_EQ(requests(*seen, tile), requests(*expected, tile)) << tile;

  expected->occupancy = seen->occupancy = 2;
  const auto before = Model::create(*expected, *gpu);
  const auto after = Model::create(*seen, *gpu);
  ASSERT_TRUE(before && after);
  Order order(static_cast<size_t>(expected->grid.size()));
  std::iota(order.begin(), order.end(), 0);
  const Prediction hip_prediction = before->predict(order), triton_prediction = after->predict(order);
  EXPECT_EQ(triton_prediction.l2_hit_rate, hip_prediction.l2_hit_rate);
  EXPECT_EQ(triton_prediction.dram_read_bytes, hip_prediction.dram_read_bytes);
}

TEST(TritonWorkload, VersionsOfTritonGiveTheSameWorkload) {
  const auto first = workload_of(gemm_tile("3.0", "M = 300, N = 420, K = 100"));
  ASSERT_TRUE(first) << describe(first.error());
  for (const char* version : {"3.4", "3.8", "3.9"}) {
    const auto other = workload_of(gemm_tile(version, "M = 300, N = 420, K = 100"));
    ASSERT_TRUE(other) << describe(other.error());
    for (int64_t tile = 0; tile < first->grid.size(); ++tile) EXPECT_EQ(in_words(*first, tile), in_words(*other, tile));
  }
}

TEST(TritonWorkload, AGroupedGemmIsFittedNotEvaluatedWhole) {
  const Case the_case =
      triton_case("gemm_grouped", sample("gemm_grouped"), "[\"ceil_div(M, 64) * ceil_div(N, 64)\"]",
                  gemm_arguments() + scalar("stride_am", "K") + scalar("stride_bk", "N") + scalar("stride_cm", "N"),
                  "M = 2048, N = 2048, K = 256");
  const auto workload = workload_of(the_case);
  ASSERT_TRUE(workload) << describe(workload.error());
  EXPECT_THAT(workload->footprint_source, HasSubstr("affine"));
  EXPECT_EQ(workload->accesses.size(), 1024U * (2 * 8 + 1));
}

std::vector<int32_t> reversed(int64_t count) {
  std::vector<int32_t> tiles(static_cast<size_t>(count));
  for (size_t i = 0; i < tiles.size(); ++i) tiles[i] = static_cast<int32_t>(count - 1 - static_cast<int64_t>(i));
  return tiles;
}

TEST(TritonWorkload, ARewrittenKernelTouchesWhatTheMapSays) {
  const std::string arguments = buffer("x", "fp32", "10000") + buffer("y", "fp32", "10000") + scalar("n", "10000");
  const Case original = triton_case("copy", sample("copy"), "[40]", arguments);
  const Case rewritten = triton_case("copy_reversed", sample("copy_reversed"), "[40]", arguments);
  const auto before = TritonKernel::open(original, "main"), after = TritonKernel::open(rewritten, "main");
  ASSERT_TRUE(before && after);
  const auto instance = original.instance("main");
  const auto equal = compare_accesses(*before, *after, *instance, reversed(40), 64);
  ASSERT_TRUE(equal) << describe(equal.error());
  EXPECT_TRUE(equal->equal) << equal->difference;
  EXPECT_EQ(equal->compared, 40);
  std::vector<int32_t> identity(40);
  std::iota(identity.begin(), identity.end(), 0);
  const auto different = compare_accesses(*before, *after, *instance, identity, 64);
  ASSERT_TRUE(different);
  EXPECT_FALSE(different->equal);
  EXPECT_THAT(different->difference, HasSubstr("launch 0"));
}

TEST(TritonWorkload, OccupancyIsWhatTheCompilerSaidElseAssumed) {
  CaseInstance instance;
  instance.warps = 4;
  GpuSpec gpu = small_gpu();
  EXPECT_THAT(triton_occupancy(instance, gpu).source, HasSubstr("assumed"));
  EXPECT_EQ(triton_occupancy(instance, gpu).workgroups_per_cu, 8);
  gpu.lds_bytes_per_cu = 65536;
  instance.compiled["gfx942"] = {.warps = 4, .shared_bytes = 32768};
  EXPECT_EQ(triton_occupancy(instance, gpu).workgroups_per_cu, 2);
  EXPECT_THAT(triton_occupancy(instance, gpu).source, HasSubstr("32768 B of shared memory"));
}

}  // namespace
}  // namespace swizzleperf

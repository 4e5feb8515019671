#include "search/search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/model/workloads.h"
#include "workload/case.h"
#include "workload/declared.h"

namespace swizzleperf {
namespace {

Expected<SearchResult> search_on(const char* gpu_name, const Workload& workload, const SearchOptions& options = {}) {
  const GpuSpec gpu = load_gpu(gpu_name).value();
  const Model model = Model::create(workload, gpu).value();
  return search(workload, gpu, model, {{"num_xcds", gpu.domains}}, options);
}

std::vector<std::string> maps_of(const SearchResult& result) {
  std::vector<std::string> maps;
  for (const auto& candidate : result.ranked) maps.push_back(candidate.swizzle.expr().text());
  return maps;
}

Prediction prediction(double time_ms, int64_t dram_bytes) {
  Prediction p;
  p.time_ms = time_ms;
  p.dram_read_bytes = dram_bytes;
  p.l2_miss_bytes = dram_bytes;
  return p;
}

const workloads::GemmShape kSmallGemm{.m = 2048, .n = 2048, .k = 512};

TEST(Search, RanksEveryPermutationOnceAndBestFirst) {
  const auto result = search_on("mi300x", workloads::gemm(kSmallGemm));
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->ranked.empty());
  std::set<std::vector<int32_t>> orders = {result->baseline.swizzle.tiles()};
  for (size_t i = 0; i < result->ranked.size(); ++i) {
    EXPECT_TRUE(orders.insert(result->ranked[i].swizzle.tiles()).second) << result->ranked[i].name;
    if (i > 0) EXPECT_FALSE(better(result->ranked[i], result->ranked[i - 1]));
  }
  EXPECT_GE(result->proposed, result->distinct);
  EXPECT_GE(result->distinct, result->simulated);
}

TEST(Search, AnswersTheSameOnAnyNumberOfThreads) {
  const Workload workload = workloads::gemm(kSmallGemm);
  const auto one = search_on("mi300x", workload, {.threads = 1});
  ASSERT_TRUE(one);
  for (const int threads : {2, 5}) {
    const auto several = search_on("mi300x", workload, {.threads = threads});
    ASSERT_TRUE(several);
    EXPECT_EQ(maps_of(*one), maps_of(*several));
    EXPECT_EQ(one->simulated, several->simulated);
    for (size_t i = 0; i < one->ranked.size(); ++i)
      EXPECT_EQ(one->ranked[i].prediction.l2_miss_bytes, several->ranked[i].prediction.l2_miss_bytes);
  }
}

TEST(Search, JudgesTheFinalistsByLinesWhereObjectsMayBeOff) {
  // Rows 8 KiB apart under a plain set index: lines crowd into few sets.
  GpuSpec gpu = load_gpu("mi300x").value();
  gpu.l2.set_index = SetIndex::kModulo;
  const Workload workload = workloads::gemm({.m = 1024, .n = 1024, .k = 4096});
  const Model model = Model::create(workload, gpu).value();
  const Sizes sizes = {{"num_xcds", gpu.domains}};
  std::vector<std::string> maps;
  for (const int threads : {1, 2, 5}) {
    const auto result = search(workload, gpu, model, sizes, {.threads = threads, .keep = 3, .evaluations = 8});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->engine, "line");
    EXPECT_FALSE(result->engine_reason.empty());
    for (size_t i = 1; i < result->ranked.size(); ++i) EXPECT_FALSE(better(result->ranked[i], result->ranked[i - 1]));
    if (maps.empty()) maps = maps_of(*result);
    EXPECT_EQ(maps, maps_of(*result));
  }
}

TEST(Search, SimulatesPlainOrdersThoughTheirFootprintIsNotAmongTheLeast) {
  const GpuSpec gpu = load_gpu("mi300x").value();
  const Workload workload = workloads::gemm(kSmallGemm);
  const Model model = Model::create(workload, gpu).value();
  const Sizes sizes = {{"num_xcds", gpu.domains}};
  Scorer scorer(workload, gpu, model, sizes, {.threads = 2});
  const std::string plain = "pid_x = wg_y * grid_x / grid_y; pid_y = wg_x * grid_y / grid_x";  // the worst of these
  std::vector<Draft> drafts = {{.name = "plain", .proposer = "test", .map = plain, .plain = true}};
  for (int w = 2; w <= 8; w *= 2)
    drafts.push_back({.name = "window",
                      .proposer = "test",
                      .map = fmt::format("t = wg_y * grid_x + wg_x; m = t % ({0} * grid_x); pid_x = m / {0}; "
                                         "pid_y = t / ({0} * grid_x) * {0} + m % {0}",
                                         w)});
  ASSERT_TRUE(scorer.score(std::move(drafts), 2));
  EXPECT_EQ(scorer.simulated(), 2);
  EXPECT_EQ(scorer.tries()[0].outcome, Scored::Outcome::kPredicted);
}

// Hit rates that the model gives the bijective maps that were published for a kernel, and the search's own.
void expect_no_published_map_better(const std::string& kernel, const Workload& workload) {
  std::ifstream file(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/cases/published_maps.json");
  const auto published = nlohmann::json::parse(file);
  const GpuSpec gpu = load_gpu("mi300x").value();
  const Model model = Model::create(workload, gpu).value();
  const Sizes sizes = {{"num_xcds", gpu.domains}};
  const auto found = search(workload, gpu, model, sizes, {.evaluations = 24});
  ASSERT_TRUE(found && !found->ranked.empty());
  const double best = found->ranked[0].prediction.l2_hit_rate;
  int compared = 0;
  for (const auto& one : published) {
    if (one.at("kernel") != kernel || !one.at("bijective")) continue;
    const auto proof = prove(SwizzleExpr::parse(one.at("map").get<std::string>()).value(), workload.grid, sizes);
    const auto* swizzle = proof ? std::get_if<Swizzle>(&*proof) : nullptr;
    if (swizzle == nullptr) continue;
    ++compared;
    EXPECT_GE(best + 0.005, model.predict(swizzle->tiles()).l2_hit_rate) << one.at("id");
  }
  EXPECT_GE(compared, 2);
}

TEST(Search, FindsAStencilOrderNoWorseThanAnyPublishedOne) {
  expect_no_published_map_better("stencil_2d", workloads::stencil(8192, 32));
}

TEST(Search, FindsATransposeOrderNoWorseThanAnyPublishedOne) {
  expect_no_published_map_better("transpose", workloads::transpose(8192, 32));
}

TEST(Search, CurvesLoseToCheapMapsWhereWorkgroupsAreShort) {
  // A tile of the transpose lives for about a microsecond: a curve's hundreds of instructions would be most of it.
  const auto result = search_on("mi300x", workloads::transpose(8192, 32));
  ASSERT_TRUE(result && !result->ranked.empty());
  EXPECT_LT(result->ranked[0].instructions, 200) << result->ranked[0].name;
}

TEST(Search, FindsAStreamKGemmOrderNoWorseThanAnyPublishedOne) {
  const Case the_case = load_case(std::string(SWIZZLEPERF_SOURCE_DIR) + "/validation/mi300x/gemm.aug.toml").value();
  const CaseInstance instance = the_case.instance(the_case.default_variant).value();
  Workload workload = the_case.declared->workload(instance, 64).value();
  workload.occupancy = instance.occupancy.value();
  expect_no_published_map_better("gemm", workload);
}

TEST(Search, WalksLongWorkgroupsOfACausalMaskFirst) {
  Workload workload = workloads::attention(2, 16, 4, 64, true);
  workload.flops = 1e12;
  const auto result = search_on("mi300x", workload);
  ASSERT_TRUE(result && !result->ranked.empty());
  EXPECT_LT(result->ranked[0].prediction.tail, result->baseline.prediction.tail - 0.05);
  EXPECT_NE(result->ranked[0].name.find("reversed"), std::string::npos) << result->ranked[0].name;
}

// Both halves of a line are read and written once in every order: the launch order writes them by halves, which move
// no more bytes than whole lines.
TEST(Search, FindsNoGainInATransposeWhoseHalvesAreWrittenApart) {
  const auto result = search_on("mi300x", workloads::transpose(8192, 32));
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->ranked.empty());
  EXPECT_EQ(result->baseline.prediction.dram_write_bytes, int64_t{8192} * 8192 * 2);
  EXPECT_EQ(decide(result->baseline.prediction, result->ranked[0].prediction).verdict, "no gain");
}

TEST(Search, FindsNoGainWhereNothingIsShared) {
  const auto result = search_on("mi300x", workloads::elementwise(4096, 1024));
  ASSERT_TRUE(result);
  for (const auto& candidate : result->ranked)
    EXPECT_EQ(decide(result->baseline.prediction, candidate.prediction).verdict, "no gain") << candidate.name;
}

TEST(Search, AlwaysSimulatesTheUsersMaps) {
  const std::string map = "pid = num_wgs - 1 - wg";
  const auto result =
      search_on("mi300x", workloads::elementwise(512, 1024), {.keep = 1000, .evaluations = 1, .user_maps = {map}});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->ranked.size(), 1U);
  EXPECT_EQ(result->ranked[0].proposer, "user");
}

TEST(Search, RefusesAUserMapThatIsNoBijection) {
  const auto result = search_on("mi300x", workloads::elementwise(64, 1024), {.user_maps = {"pid = wg / 2"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().blame, Blame::kUser);
}

TEST(Decision, NeedsTwoPercentOfTime) {
  EXPECT_EQ(decide(prediction(1.00, 100), prediction(0.97, 100)).benefit, Benefit::kTime);
  EXPECT_EQ(decide(prediction(1.00, 100), prediction(0.99, 100)).verdict, "no gain");
}

TEST(Decision, CountsACutOfOneTrafficOnlyWhereTheOtherDoesNotRise) {
  Prediction before = prediction(1.00, 1000), after = prediction(1.00, 800);
  after.l2_miss_bytes = 1060;  // fewer DRAM bytes, more L2 misses
  EXPECT_EQ(decide(before, after).verdict, "no gain");
  after.l2_miss_bytes = 1010;
  EXPECT_EQ(decide(before, after).benefit, Benefit::kTraffic);
  std::swap(after.l2_miss_bytes, after.dram_read_bytes);
  after.dram_read_bytes = 1060;
  after.l2_miss_bytes = 800;
  EXPECT_EQ(decide(before, after).verdict, "no gain");
}

TEST(Decision, AGainInsideTheRangeIsNone) {
  Prediction baseline = prediction(1.00, 100), best = prediction(0.90, 100);
  baseline.outcomes = {{.time_ms = 1.00}, {.time_ms = 0.95}};
  best.outcomes = {{.time_ms = 0.90}, {.time_ms = 0.94}};
  EXPECT_EQ(decide(baseline, best).benefit, Benefit::kTime) << "each way of drifting gains";
  best.outcomes[1].time_ms = 0.97;
  const Decision decision = decide(baseline, best);
  EXPECT_EQ(decision.verdict, "no gain");
  EXPECT_NE(decision.reason.find("inside the range"), std::string::npos) << decision.reason;
}

TEST(Decision, CountsACutOfTrafficOnlyAtNoLossOfTime) {
  EXPECT_EQ(decide(prediction(1.00, 100), prediction(1.00, 80)).benefit, Benefit::kTraffic);
  EXPECT_EQ(decide(prediction(1.00, 100), prediction(1.00, 95)).verdict, "no gain");
  EXPECT_EQ(decide(prediction(1.00, 100), prediction(1.01, 50)).verdict, "no gain");
}

}  // namespace
}  // namespace swizzleperf

#include "history/history.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "base/file.h"
#include "history/fingerprint.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

const Workload& workload() {
  static const Workload kWorkload = workloads::gemm({.m = 2048, .n = 2048, .k = 128});  // 16 x 16 tiles
  return kWorkload;
}

std::string fingerprint(const Workload& one) {
  return to_text(fingerprint_of(one, analyse_reuse(one)));
}

class HistoryTest : public ::testing::Test {
 protected:
  Tries tries(const std::vector<std::string>& maps) const {
    Scorer scorer(workload(), gpu_, model_, sizes_, {});
    std::vector<Draft> drafts;
    for (const auto& map : maps)
      drafts.push_back({.name = "a name", .proposer = "somebody", .map = map, .why = "a reason"});
    EXPECT_TRUE(scorer.score(std::move(drafts), 100));
    return scorer.tries();
  }
  int64_t add_run(const std::vector<std::string>& maps, const std::string& gpu = "MI300X") {
    const int64_t run =
        history_->begin({.case_name = "gemm", .gpu = gpu, .fingerprint = fingerprint(workload())}).value();
    EXPECT_TRUE(history_->record(run, tries(maps), 0, static_cast<int>(maps.size())));
    return run;
  }
  const GpuSpec gpu_ = load_gpu("mi300x").value();
  const Model model_ = Model::create(workload(), gpu_).value();
  const Sizes sizes_ = {{"num_xcds", 8}};
  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  Expected<History> history_ = History::open(folder_->path() / "history.db");
};

TEST_F(HistoryTest, TriesComeBackAsTheyWere) {
  const Tries before = tries({"pid = wg", "pid = 255 - wg", "pid = wg / 2", "pid = ~wg + 256", "pid = ("});
  const int64_t run = history_->begin({}).value();
  ASSERT_TRUE(history_->record(run, before, 0, 2));
  const Tries after = history_->tries(run).value();
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].draft.map, before[i].draft.map);
    EXPECT_EQ(after[i].draft.why, "a reason");
    EXPECT_EQ(after[i].map, before[i].map);
    EXPECT_EQ(after[i].outcome, before[i].outcome);
    EXPECT_EQ(after[i].permutation, before[i].permutation);
    EXPECT_EQ(after[i].identity, before[i].identity);
    EXPECT_EQ(after[i].near_fast, before[i].near_fast);
    EXPECT_EQ(after[i].fault.has_value(), before[i].fault.has_value());
    ASSERT_EQ(after[i].prediction.has_value(), before[i].prediction.has_value());
    if (!after[i].prediction) continue;
    const Prediction& p = *after[i].prediction;
    const Prediction& q = *before[i].prediction;
    EXPECT_EQ(std::tuple(p.time_ms, p.l2_hit_rate, p.ceiling, p.balance, p.tail, p.index_ms, p.l2_ms, p.bound),
              std::tuple(q.time_ms, q.l2_hit_rate, q.ceiling, q.balance, q.tail, q.index_ms, q.l2_ms, q.bound));
    EXPECT_EQ(std::tuple(p.dram_read_bytes, p.dram_write_bytes, p.l2_miss_bytes, p.llc_bytes),
              std::tuple(q.dram_read_bytes, q.dram_write_bytes, q.l2_miss_bytes, q.llc_bytes));
    ASSERT_EQ(p.domains.size(), 8U);
    EXPECT_EQ(p.domains[3].hits, q.domains[3].hits);
  }
}

TEST_F(HistoryTest, PrunedTriesAreLeftOutAndRoundsFollowEachOther) {
  Tries all = tries({"pid = wg", "pid = 255 - wg"});
  all.push_back(all.front());
  all.back().outcome = Scored::Outcome::kPruned;
  const int64_t run = history_->begin({}).value();
  ASSERT_TRUE(history_->record(run, all, 0, 2));
  ASSERT_TRUE(history_->record(run, all, 1, 3));
  EXPECT_EQ(history_->tries(run)->size(), 3U);
  EXPECT_EQ(history_->run(run)->simulated, 3);
}

TEST_F(HistoryTest, ARunSaysWhatItFound) {
  const int64_t run = add_run({"pid = wg", "pid_x = wg_y; pid_y = wg_x"});
  EXPECT_TRUE(history_->run(run)->finished.empty());
  ASSERT_TRUE(history_->finish(run, "done", "apply", "because"));
  const auto found = history_->run(run).value();
  EXPECT_EQ(found.verdict, "apply");
  EXPECT_FALSE(found.finished.empty());
  EXPECT_EQ(found.candidates, 2);
  ASSERT_TRUE(found.best_ms && found.baseline_ms);
  EXPECT_LE(*found.best_ms, *found.baseline_ms);
  EXPECT_FALSE(history_->run(run + 1));
}

TEST_F(HistoryTest, MessagesAndMeasurementsComeBackInOrder) {
  const int64_t run = history_->begin({}).value();
  ASSERT_TRUE(history_->record_message(run, {.round = 1, .model = "m", .reply = "one", .tokens_in = 7}));
  ASSERT_TRUE(history_->record_message(run, {.round = 2, .model = "m", .reply = "two", .cost_usd = 0.25}));
  const auto messages = history_->messages(run).value();
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].reply, "one");
  EXPECT_EQ(messages[0].tokens_in, 7);
  EXPECT_FALSE(messages[0].cost_usd);
  EXPECT_EQ(messages[1].cost_usd, 0.25);
  ASSERT_TRUE(history_->record_measurement(run, {"pid = wg", "a GPU", R"({"median_ms": 1.5})"}));
  EXPECT_EQ(history_->measurements(run)->front().device, "a GPU");
}

TEST_F(HistoryTest, WhatWorkedForSimilarWorkloadsComesNearestFirst) {
  // Each XCD has 4 rows of 8 tiles instead of two columns.
  const std::string good = "x = wg % 8; l = wg / 8; pid = (x / 2 * 4 + l / 8) * 16 + x % 2 * 8 + l % 8";
  const int64_t same = add_run({"pid = wg", good, "pid = (wg * 77) % 256"});
  add_run({"pid = wg", good + " + 0"}, "MI355X");
  const auto near =
      history_->nearest(fingerprint(workloads::gemm({.m = 4096, .n = 2048, .k = 128})), "MI300X", 5).value();
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front().run, same);
  EXPECT_EQ(near.front().map, good);
  EXPECT_GT(near.front().bytes_saved, 0);
  for (const EarlierMap& one : near) EXPECT_NE(one.map, "pid = wg");
  const Workload other = workloads::transpose(512, 32);
  EXPECT_TRUE(history_->nearest(fingerprint(other), "MI300X", 5)->empty());
}

TEST(HistoryFile, FollowsTheEnvironment) {
  ::unsetenv("SWIZZLEPERF_HISTORY");
  ::setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(default_history_file(), "/state/swizzleperf/history.db");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(default_history_file(), "/home/me/.local/state/swizzleperf/history.db");
  ::setenv("SWIZZLEPERF_HISTORY", "none", 1);
  EXPECT_EQ(default_history_file(), "none");
}

}  // namespace
}  // namespace swizzleperf

#include "search/scorer.h"

#include <gmock/gmock.h>

#include "search/neighbours.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

const Workload& workload() {
  static const Workload kWorkload = workloads::transpose(512, 32);  // a grid of 16 x 16
  return kWorkload;
}

class ScorerTest : public ::testing::Test {
 protected:
  Scorer make(int threads = 2) const { return {workload(), gpu_, model_, sizes_, {.threads = threads}}; }
  const GpuSpec gpu_ = load_gpu("mi300x").value();
  const Model model_ = Model::create(workload(), gpu_).value();
  const Sizes sizes_ = {{"num_xcds", 8}};
};

Draft draft(const std::string& map) {
  return {map, "test", map};
}

TEST_F(ScorerTest, KeepsEachPermutationOnce) {
  Scorer scorer = make();
  ASSERT_TRUE(scorer.score({draft("pid = wg"), draft("pid = num_wgs - 1 - wg"), draft("pid = 255 - wg")}, 10));
  ASSERT_TRUE(scorer.score({draft("pid = ~wg + 256")}, 10));
  const Tries& tries = scorer.tries();
  ASSERT_EQ(tries.size(), 4U);
  EXPECT_TRUE(tries[0].identity);
  EXPECT_EQ(tries[1].outcome, Scored::Outcome::kPredicted);
  for (const size_t same : {2U, 3U}) {
    EXPECT_EQ(tries[same].outcome, Scored::Outcome::kRepeated);
    EXPECT_EQ(tries[same].same_as, 1U);
    EXPECT_EQ(tries[same].prediction->time_ms, tries[1].prediction->time_ms);
  }
  EXPECT_EQ(scorer.simulated(), 2);
  EXPECT_EQ(scorer.distinct(), 2);
}

TEST_F(ScorerTest, SaysInWordsWhatAMapLosesAndRepeats) {
  Scorer scorer = make();
  ASSERT_TRUE(scorer.score({draft("pid = wg / 2"), draft("pid = wg +"), draft("pid = wg / (wg - 7)")}, 10));
  for (const Scored& one : scorer.tries()) ASSERT_EQ(one.outcome, Scored::Outcome::kFault);
  EXPECT_THAT(describe(*scorer.tries()[0].fault), HasSubstr("128 of 256 tiles are done by no workgroup"));
  EXPECT_THAT(describe(*scorer.tries()[0].fault), HasSubstr("128 workgroups repeat a tile"));
  EXPECT_THAT(describe(*scorer.tries()[1].fault), HasSubstr("pid = wg +:1:"));
  EXPECT_THAT(describe(*scorer.tries()[2].fault), HasSubstr("7"));
  EXPECT_EQ(scorer.simulated(), 0);
}

TEST_F(ScorerTest, SimulatesTheIdentityTheUsersMapsAndThenTheSmallestFootprints) {
  Scorer scorer = make();
  std::vector<Draft> drafts = {draft("pid = wg")};
  for (int i = 1; i < 20; ++i) drafts.push_back(draft("pid = (wg + " + std::to_string(i * 12) + ") % num_wgs"));
  drafts.push_back({"user", "user", "pid = (wg * 77) % 256"});
  ASSERT_TRUE(scorer.score(drafts, 4));
  EXPECT_EQ(scorer.simulated(), 5);
  EXPECT_EQ(scorer.tries().front().outcome, Scored::Outcome::kPredicted);
  EXPECT_EQ(scorer.tries().back().outcome, Scored::Outcome::kPredicted);
  double most_simulated = 0;
  double least_pruned = 1e300;
  for (size_t i = 1; i + 1 < scorer.tries().size(); ++i) {
    const Scored& one = scorer.tries()[i];
    if (one.prediction) most_simulated = std::max(most_simulated, one.footprint);
    if (!one.prediction) least_pruned = std::min(least_pruned, one.footprint);
  }
  EXPECT_LE(most_simulated, least_pruned);
}

TEST_F(ScorerTest, APrunedOrderCanBeProposedAgain) {
  Scorer scorer = make();
  ASSERT_TRUE(scorer.score({draft("pid = (wg + 9) % 256"), draft("pid = (wg + 8) % 256")}, 1));
  const size_t pruned = scorer.tries()[0].prediction ? 1 : 0;
  EXPECT_EQ(scorer.tries()[pruned].outcome, Scored::Outcome::kPruned);
  ASSERT_TRUE(scorer.score({scorer.tries()[pruned].draft}, 1));
  EXPECT_EQ(scorer.tries()[2].outcome, Scored::Outcome::kPredicted);
}

TEST_F(ScorerTest, AskingIsNoTryAndCostsOneSimulationAPermutation) {
  Scorer scorer = make();
  const Scored first = scorer.ask(draft("pid = 255 - wg"));
  ASSERT_TRUE(first.prediction);
  EXPECT_TRUE(scorer.tries().empty());
  EXPECT_EQ(scorer.ask(draft("pid = num_wgs - 1 - wg")).prediction->time_ms, first.prediction->time_ms);
  ASSERT_TRUE(scorer.score({draft("pid = 255 - wg")}, 1));
  EXPECT_EQ(scorer.tries()[0].outcome, Scored::Outcome::kPredicted);
  EXPECT_EQ(scorer.simulated(), 1);
  EXPECT_TRUE(scorer.ask(draft("pid = 0")).fault);
}

TEST_F(ScorerTest, RestoredTriesAreKnown) {
  Scorer before = make();
  ASSERT_TRUE(before.score({draft("pid = wg"), draft("pid = 255 - wg")}, 5));
  Scorer after = make();
  after.restore(before.tries(), before.simulated());
  ASSERT_TRUE(after.score({draft("pid = num_wgs - 1 - wg")}, 5));
  EXPECT_EQ(after.tries()[2].same_as, 1U);
  EXPECT_EQ(after.simulated(), 2);
}

TEST_F(ScorerTest, NearnessTellsRowsFromColumnsAndXcdsApart) {
  Order rows(256), dealt(256);
  for (int w = 0; w < 256; ++w) {
    rows[static_cast<size_t>(w)] = w;
    dealt[static_cast<size_t>(w)] = w % 8 * 32 + w / 8;
  }
  // In launch order the next tile is on the next XCD, the one below on the same.
  EXPECT_EQ(nearness(rows, 16, gpu_, 1).fast, 0);
  EXPECT_EQ(nearness(rows, 16, gpu_, 1).slow, 1);
  // Dealt in ranges of two rows, the next tile is on the same XCD.
  EXPECT_EQ(nearness(dealt, 16, gpu_, 1).fast, 1);
  EXPECT_NEAR(nearness(dealt, 16, gpu_, 1).slow, 128.0 / 240, 1e-9);
}

}  // namespace
}  // namespace swizzleperf

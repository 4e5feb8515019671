// Evolution and the bandit, through the same loop as the families.
#include <gtest/gtest.h>

#include "search/bandit.h"
#include "search/evolution.h"
#include "search/family_proposer.h"
#include "search/search.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

const Workload& workload() {
  static const Workload kWorkload = workloads::gemm({.m = 2048, .n = 1536, .k = 128});
  return kWorkload;
}

class ProposersTest : public ::testing::Test {
 protected:
  std::unique_ptr<Proposer> evolution(uint64_t seed = 1) const {
    return std::make_unique<EvolutionProposer>(workload(), gpu_, seed);
  }
  std::unique_ptr<Proposer> bandit() const {
    std::vector<std::unique_ptr<Proposer>> arms;
    arms.push_back(std::make_unique<FamilyProposer>(workload(), gpu_));
    arms.push_back(evolution());
    return std::make_unique<Bandit>(std::move(arms));
  }
  Tries run(Proposer& proposer, int evaluations, int threads = 2, const Tries& before = {}, int simulated = 0) const {
    Scorer scorer(workload(), gpu_, model_, sizes_, {.threads = threads});
    if (!before.empty()) scorer.restore(before, simulated);
    SearchOptions options;
    options.evaluations = evaluations;
    const auto result = run_proposer(scorer, proposer, options);
    EXPECT_TRUE(result) << describe(result.error());
    EXPECT_LE(scorer.simulated(), evaluations + 1);
    return scorer.tries();
  }
  const GpuSpec gpu_ = load_gpu("mi300x").value();
  const Model model_ = Model::create(workload(), gpu_).value();
  const Sizes sizes_ = {{"num_xcds", 8}};
};

// What a history keeps: maps and what became of them, without those that were pruned.
std::vector<std::string> recorded(const Tries& tries) {
  std::vector<std::string> maps;
  for (const Scored& one : tries) {
    if (one.outcome != Scored::Outcome::kPruned) maps.push_back(one.draft.name + ": " + one.draft.map);
  }
  return maps;
}

const Scored& best_of(const Tries& tries) {
  const Scored* best = nullptr;
  for (const Scored& one : tries) {
    if (one.outcome != Scored::Outcome::kPredicted) continue;
    if (best == nullptr || better(*one.prediction, one.instructions, *best->prediction, best->instructions))
      best = &one;
  }
  return *best;
}

TEST_F(ProposersTest, EvolutionFindsBetterThanTheLaunchOrderAndThanItsFirstRound) {
  const Tries tries = run(*evolution(), 96);
  const Tries first_round(tries.begin(), tries.begin() + 49);
  const Scored& best = best_of(tries);
  EXPECT_LT(best.prediction->l2_miss_bytes, tries.front().prediction->l2_miss_bytes);
  EXPECT_FALSE(
      better(*best_of(first_round).prediction, best_of(first_round).instructions, *best.prediction, best.instructions));
  EXPECT_EQ(best.draft.proposer, "evolution");
}

TEST_F(ProposersTest, MostOffspringAreBijections) {
  const Tries tries = run(*evolution(), 64);
  int faults = 0;
  for (const Scored& one : tries) faults += one.fault ? 1 : 0;
  EXPECT_GT(faults, 0) << "blind variations are among them";
  EXPECT_LT(faults * 5, static_cast<int>(tries.size()));
}

TEST_F(ProposersTest, TheSeedDecidesAndTheThreadsDoNot) {
  const auto one = recorded(run(*evolution(7), 48, 1));
  EXPECT_EQ(one, recorded(run(*evolution(7), 48, 4)));
  EXPECT_NE(one, recorded(run(*evolution(8), 48, 2)));
}

// Goes on from what a history would have kept of the first `simulated` simulations.
void expect_same_after_resuming(const Tries& whole, const Tries& part, const Tries& resumed) {
  const auto all = recorded(whole);
  EXPECT_LT(recorded(part).size(), all.size());
  EXPECT_EQ(recorded(resumed), all);
}

Tries without_pruned(const Tries& tries) {
  Tries kept;
  for (const Scored& one : tries) {
    if (one.outcome != Scored::Outcome::kPruned) kept.push_back(one);
  }
  return kept;
}

TEST_F(ProposersTest, AResumedRunDoesWhatTheWholeOneWouldHaveDone) {
  for (const bool with_bandit : {false, true}) {
    const auto make = [&] { return with_bandit ? bandit() : evolution(); };
    const Tries whole = run(*make(), 80);
    const Tries part = without_pruned(run(*make(), 48));
    expect_same_after_resuming(whole, part, run(*make(), 80, 2, part, 49));
  }
}

TEST_F(ProposersTest, ElitesAreTheBestOfEachKind) {
  const Tries tries = run(*evolution(), 64);
  const auto best = elites(tries);
  ASSERT_GT(best.size(), 2U);
  const Scored& top = *best.front();
  EXPECT_FALSE(better(*best_of(tries).prediction, best_of(tries).instructions, *top.prediction, top.instructions));
}

TEST_F(ProposersTest, TheBanditAsksEveryArm) {
  int families = 0, evolved = 0;
  for (const Scored& one : run(*bandit(), 64)) {
    if (one.outcome != Scored::Outcome::kPredicted) continue;
    families += one.draft.proposer == "families" ? 1 : 0;
    evolved += one.draft.proposer == "evolution" ? 1 : 0;
  }
  EXPECT_GE(families, 15);
  EXPECT_GE(evolved, 15);
}

TEST(Bandit, PrefersWhatHasGainedAndAsksTheOthersNowAndThen) {
  EXPECT_EQ(rank_arms({{0.5, 0.5, 16}, {0.0, 0.0, 16}}).front(), 0U);
  EXPECT_EQ(rank_arms({{0.5, 0.5, 16}, {0.0, 0.0, 0}}).front(), 1U);
  EXPECT_EQ(rank_arms({{0.01, 0.5, 96}, {0.0, 0.0, 16}}).front(), 1U);
}

// A proposer that never has a map to offer that can be used.
class Useless : public Proposer {
 public:
  std::string name() const override { return "useless"; }
  Expected<std::vector<Draft>> propose(const Tries& tries, int) override {
    return std::vector<Draft>{{"useless", name(), "pid = wg / " + std::to_string(tries.size() + 2)}};
  }
};

TEST_F(ProposersTest, AProposerWithoutUsableMapsEndsTheRunByItself) {
  Useless useless;
  const Tries tries = run(useless, 50);
  EXPECT_LT(tries.size(), 30U);
  EXPECT_TRUE(tries.front().identity);
}

TEST_F(ProposersTest, AUselessArmCostsTheBanditLittle) {
  std::vector<std::unique_ptr<Proposer>> arms;
  arms.push_back(std::make_unique<Useless>());
  arms.push_back(evolution());
  Bandit bandit(std::move(arms));
  const Tries tries = run(bandit, 48);
  EXPECT_EQ(std::count_if(tries.begin(), tries.end(),
                          [](const Scored& one) { return one.outcome == Scored::Outcome::kPredicted; }),
            49);
}

}  // namespace
}  // namespace swizzleperf

#include "search/plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "search/vary_plan.h"
#include "swizzle/swizzle.h"
#include "swizzle/vary.h"

namespace swizzleperf {
namespace {

FamilyRequest request(int64_t x, int64_t y, int64_t num_xcds) {
  FamilyRequest result{.grid = {x, y, 1}, .num_xcds = num_xcds};
  result.digits = {y, x};
  return result;
}

// Proves the plan's map on a grid of n workgroups in a row.
void expect_bijection(const Plan& plan, int64_t n) {
  const std::string map = map_of(plan, n);
  const auto expr = SwizzleExpr::parse(map);
  ASSERT_TRUE(expr) << describe(expr.error()) << "\n" << map;
  const auto proof = prove(*expr, {n, 1, 1}, {});
  ASSERT_TRUE(proof) << describe(proof.error()) << "\n" << map;
  EXPECT_TRUE(std::holds_alternative<Swizzle>(*proof)) << name_of(plan) << " on " << n << "\n" << map;
}

RC_GTEST_PROP(Plan, EveryVariationOfAPlanIsABijection, ()) {
  const auto x = *rc::gen::inRange<int64_t>(1, 40);
  const auto y = *rc::gen::inRange<int64_t>(1, 40);
  RC_PRE(x * y > 1);
  const PlanSpace space = plan_space(request(x, y, *rc::gen::element<int64_t>(1, 3, 8)));
  Random random(*rc::gen::arbitrary<uint64_t>());
  Plan one = random_plan(space, random);
  const Plan other = random_plan(space, random);
  for (int change = 0; change < 6; ++change) one = mutate(one, space, random);
  for (const Plan& plan : {one, other, cross(one, other, random)}) {
    RC_ASSERT(valid(plan, space.n));
    RC_ASSERT(parse_plan(name_of(plan)) == plan);
    expect_bijection(plan, space.n);
  }
}

TEST(Plan, EveryStageIsABijectionOnRaggedSizes) {
  for (const int64_t n : {6, 24, 30, 77, 128}) {
    for (const int64_t parts : {2, 7, 8, 200}) {
      expect_bijection({{StageKind::kDeal, {parts}}}, n);
      for (const int64_t chunk : {2, 3, 5}) expect_bijection({{StageKind::kChunk, {parts, chunk}}}, n);
    }
  }
  for (const int64_t direction : {0, 1}) {
    for (const StageKind kind : {StageKind::kRows, StageKind::kSnake, StageKind::kHilbert, StageKind::kMorton})
      expect_bijection({{kind, {6, direction}}}, 30);
    for (const int64_t window : {2, 4, 5, 29}) {
      expect_bijection({{StageKind::kGrouped, {6, direction, window}}}, 30);
      expect_bijection({{StageKind::kGroupedSnake, {6, direction, window}}}, 30);
    }
  }
  for (const int64_t walk : {0, 1, 2, 3}) {
    const DigitPlan digits{{4, 3, 5}, {1, 0, 2}, {walk, walk, walk}, 2, 0};
    expect_bijection({digits.stage()}, 60);
  }
}

TEST(Plan, RefusesWhatIsNoBijection) {
  EXPECT_FALSE(valid({{StageKind::kRotate, {0}}}, 8));
  EXPECT_FALSE(valid({{StageKind::kRows, {3, 0}}}, 8));                 // 3 does not divide 8
  EXPECT_FALSE(valid({{StageKind::kGrouped, {4, 0, 0}}}, 8));           // no rows at a time
  EXPECT_FALSE(valid({DigitPlan{{2, 2}, {0, 1}, {0, 0}}.stage()}, 8));  // 2 * 2 is not 8
  EXPECT_FALSE(valid({DigitPlan{{2, 4}, {0, 0}, {0, 0}}.stage()}, 8));  // a digit twice
  EXPECT_FALSE(valid({{StageKind::kDigits, {1000000, 2}}}, 8));
}

TEST(Plan, OtherNamesAreNoPlans) {
  for (const char* name : {"user", "grouped", "grouped(8", "grouped(8,)x", "deal(8)..reverse()", "varied", "deal(x)"})
    EXPECT_FALSE(parse_plan(name)) << name;
}

TEST(Plan, FamiliesBecomeThePlansOfTheSameOrder) {
  const FamilyRequest grid = request(12, 10, 8);
  const PlanSpace space = plan_space(grid);
  int compared = 0;
  for (const FamilyMember& member : enumerate_families(grid)) {
    const auto plan = plan_of_family(member.name, space);
    if (!plan || plan->empty()) continue;
    const Sizes sizes = {{"num_xcds", 8}};
    const auto family = evaluate_map(SwizzleExpr::parse(member.map).value(), grid.grid, sizes).value();
    const auto same = evaluate_map(SwizzleExpr::parse(map_of(*plan, 120)).value(), grid.grid, sizes).value();
    EXPECT_EQ(family, same) << member.name;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

RC_GTEST_PROP(Vary, BlindVariationsAreTextsThatTheProverCanJudge, ()) {
  Random random(*rc::gen::arbitrary<uint64_t>());
  const auto first = SwizzleExpr::parse("x = wg % 8; pid = x * (num_wgs / 8) + min(x, num_wgs % 8) + wg / 8").value();
  auto expr = first;
  int different = 0;
  for (int step = 0; step < 20; ++step) {
    const std::string text = vary(expr, first, [&](size_t bound) { return random.below(bound); });
    different += text != expr.text() ? 1 : 0;
    const auto next = SwizzleExpr::parse(text);  // may be refused: a name that is read before it is assigned
    if (!next) continue;
    (void)prove(*next, {100, 1, 1}, {});
    expr = *next;
  }
  RC_ASSERT(different > 0);
}

}  // namespace
}  // namespace swizzleperf

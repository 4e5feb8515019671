#include <gmock/gmock.h>

#include <array>

#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

std::string parse_error(const std::string& text) {
  const auto expr = SwizzleExpr::parse(text);
  return expr ? "" : describe(expr.error());
}

std::string run_error(const std::string& text) {
  const auto tiles = evaluate_map(SwizzleExpr::parse(text).value(), Grid{64}, {{"num_xcds", 8}});
  return tiles ? "" : describe(tiles.error());
}

int64_t value_of(const std::string& text) {
  return evaluate_expression(text, {{"N", 100}}).value();
}

TEST(Parse, FollowsCPrecedenceAndAssociativity) {
  EXPECT_EQ(value_of("2 + 3 * 4 - 5 - 6"), 3);
  EXPECT_EQ(value_of("1 | 2 ^ 3 & 6 == 6"), 3);
  EXPECT_EQ(value_of("1 << 2 + 1"), 8);
  EXPECT_EQ(value_of("100 / 7 / 2 % 4"), 3);
  EXPECT_EQ(value_of("1 < 2 == 1"), 1);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value_of("-7 / 2"), -3);
  EXPECT_EQ(value_of("-7 % 3"), -1);
  EXPECT_EQ(value_of("-8 >> 1"), -4);
  EXPECT_EQ(value_of("!5 + ~0 + !0"), 0);
}

TEST(Parse, BuiltinsAndLiterals) {
  EXPECT_EQ(value_of("ceil_div(N, 8) + min(3, 2) + max(3, 2) + abs(-4)"), 22);
  EXPECT_EQ(value_of("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(value_of("0xFF & 0x0f"), 15);
  EXPECT_EQ(value_of("9223372036854775807"), INT64_MAX);
}

TEST(Parse, StatementsEndAtNewlinesAndSemicolonsButNotInsideAnExpression) {
  EXPECT_EQ(parse_error("# a comment\na = wg + // more\n  1\n\nb = (a\n - 1); pid = b"), "");
  EXPECT_THAT(parse_error("a = 1 b = 2"), HasSubstr("expected an operator"));
}

// Whatever nests, at every depth around the limit: refused, or printed as a text that parses back to itself. (~~x
// prints as ~(~x), which nests deeper.)
TEST(Parse, WhatIsAcceptedPrintsAsTextThatIsAcceptedToo) {
  const std::vector<std::array<std::string, 2>> forms = {
      {"~", ""},       {"- ", ""},     {"!", ""},          {"+", ""},          {"(", ")"},
      {"min(1,", ")"}, {"wg?wg:", ""}, {"wg?", ":wg"},     {"~wg?", ":1"},     {"-(wg+", ")"},
      {"2*(3-", ")"},  {"abs(~", ")"}, {"wg&&(", "||wg)"}, {"(wg?wg:", ")*2"}, {"1-(-", ")"}};
  for (const auto& [open, close] : forms) {
    int accepted = 0;
    for (int depth = 1; depth <= 220; ++depth) {
      std::string text = "wg";
      for (int i = 0; i < depth; ++i) text = open + text + close;
      const auto expr = SwizzleExpr::parse("pid=" + text);
      if (!expr) continue;
      ++accepted;
      const auto again = SwizzleExpr::parse(expr->text());
      ASSERT_TRUE(again) << describe(again.error()) << " in " << expr->text();
      EXPECT_EQ(again->text(), expr->text());
    }
    EXPECT_GE(accepted, 20) << open << "..." << close;
    EXPECT_LT(accepted, 220) << open << "..." << close;
  }
}

TEST(Parse, RefusesATextThatWouldBePrintedBeyondTheLimit) {
  const std::string name(30, 'n');
  std::string text = "pid=0";
  while (text.size() + name.size() < (64 << 10) - 2) text += "+" + name;
  EXPECT_THAT(parse_error(text), HasSubstr("printed in full"));
}

TEST(Parse, ErrorsNameLineAndColumn) {
  EXPECT_THAT(parse_error("a = 1\npid = a +"), HasSubstr("map:2:10"));
  EXPECT_THAT(parse_error("pid = wg @ 2"), HasSubstr("'@'"));
  EXPECT_THAT(parse_error("pid = (wg"), HasSubstr("expected ')'"));
  EXPECT_THAT(parse_error("pid = f(1)"), HasSubstr("unknown function 'f'"));
  EXPECT_THAT(parse_error("pid = min(1)"), HasSubstr("takes 2 arguments, not 1"));
  EXPECT_THAT(parse_error("wg = 1; pid = wg"), HasSubstr("'wg' is an input"));
  EXPECT_THAT(parse_error("pid = 99999999999999999999"), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(parse_error("pid = 0xFFFFFFFFFFFFFFFF"), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(parse_error("q = 1"), HasSubstr("no result"));
  EXPECT_THAT(parse_error("pid = 1; pid_x = 2"), HasSubstr("both"));
  EXPECT_THAT(parse_error("pid_y = wg"), HasSubstr("does not assign pid_x"));
  EXPECT_THAT(parse_error("a = b; b = 1; pid = a"), HasSubstr("read before it is assigned"));
  EXPECT_THAT(parse_error(""), HasSubstr("no result"));
}

TEST(Parse, HasLimitsInsteadOfOverflowingTheStack) {
  EXPECT_THAT(parse_error("pid = " + std::string(100000 / 4, '(') + "1"), HasSubstr("nested"));
  EXPECT_THAT(parse_error("pid = " + std::string(20000, '-') + "1"), HasSubstr("nested"));
  EXPECT_THAT(parse_error("pid = wg" + std::string(70000, ' ')), HasSubstr("longer"));
  std::string sum = "pid = wg";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_THAT(parse_error(sum), HasSubstr("more than 4096"));
}

TEST(Evaluate, FaultsHaveAPositionAndAWorkgroup) {
  EXPECT_THAT(run_error("pid = 1 / (wg - 3)"), HasSubstr("map:1:9: error: division by zero for workgroup 3"));
  EXPECT_THAT(run_error("pid = 1 % (wg - 5)"), HasSubstr("workgroup 5"));
  EXPECT_THAT(run_error("pid = wg * 9223372036854775807"), HasSubstr("overflow"));
  EXPECT_THAT(run_error("pid = wg - 9223372036854775807 - 2"), HasSubstr("overflow"));
  EXPECT_THAT(run_error("pid = 1 << wg"), HasSubstr("workgroup 63"));
  EXPECT_THAT(run_error("pid = 1 >> (wg - 1)"), HasSubstr("shift"));
  EXPECT_THAT(run_error("pid = hilbert_x(wg, 7, 9)"), HasSubstr("workgroup 63"));
  EXPECT_THAT(run_error("pid = M"), HasSubstr("unknown name 'M'"));
}

TEST(Evaluate, OnlyFaultsWhereCWouldEvaluate) {
  EXPECT_EQ(run_error("pid = wg == 3 ? wg : 12 / (wg - 3) * 0 + wg"), "");
  EXPECT_EQ(run_error("pid = wg != 0 && 5 / wg >= 0 ? wg : wg"), "");
  EXPECT_EQ(run_error("pid = wg == 0 || 5 / wg >= 0 ? wg : wg"), "");
  EXPECT_EQ(run_error("pid = wg < 2 ? (wg == 0 ? 0 : 1 / wg) : wg > 3 ? wg : 6 / wg"), "");
}

TEST(Text, ParsesBackToTheSameProgram) {
  for (const char* text :
       {"pid = -(wg - 1) % (num_wgs - (3 - 2)) + (wg ? 1 : 2) * 3", "a = wg & 1 | 2 ^ 3; pid = a << (1 + a >> 2)",
        "pid = !(wg == 1) && (wg < 3 || wg > 4) ? ~wg : - -wg"}) {
    const auto first = SwizzleExpr::parse(text).value();
    const auto second = SwizzleExpr::parse(first.text()).value();
    EXPECT_EQ(first.text(), second.text());
    EXPECT_EQ(evaluate_map(first, Grid{64}, {}).value(), evaluate_map(second, Grid{64}, {}).value());
  }
}

}  // namespace
}  // namespace swizzleperf

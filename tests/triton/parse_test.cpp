#include <gmock/gmock.h>

#include <filesystem>

#include "frontend/triton/ir.h"
#include "tests/triton/samples.h"

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using triton::parse_ttir;

TEST(TritonParser, ReadsEverySampleOfEveryVersion) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SWIZZLEPERF_SOURCE_DIR) / "tests/data/ttir")) {
    if (entry.path().extension() != ".ttir") continue;
    const auto text = read_file(entry.path());
    ASSERT_TRUE(text);
    const auto module = parse_ttir(*text, entry.path().string());
    ASSERT_TRUE(module) << describe(module.error());
    EXPECT_NE(module->function(entry.path().stem().string()), nullptr) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 80);
}

TEST(TritonParser, KnowsTheTypesThatTheTextLeavesOut) {
  const auto module = parse_ttir(R"(tt.func public @k(%p: !tt.ptr<bf16>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %s = tt.splat %p : !tt.ptr<bf16> -> tensor<8x!tt.ptr<bf16>>
  %a = tt.addptr %s, %r : tensor<8x!tt.ptr<bf16>>, tensor<8xi32>
  %v = tt.load %a : tensor<8x!tt.ptr<bf16>>
  %c = arith.cmpi slt, %r, %r : tensor<8xi32>
  tt.return
})",
                                 "t.ttir");
  ASSERT_TRUE(module) << describe(module.error());
  const auto& values = module->functions.front().values;
  const auto type = [&](const std::string& name) {
    for (const auto& value : values) {
      if (value.name == name) return value.type;
    }
    return triton::Type();
  };
  EXPECT_EQ(type("v").element, triton::Type::Element::kFloat);
  EXPECT_TRUE(type("v").brain);
  EXPECT_EQ(type("v").shape, std::vector<int64_t>{8});
  EXPECT_EQ(type("c").bits, 1);
  EXPECT_EQ(type("a").element, triton::Type::Element::kPointer);
}

TEST(TritonParser, TellsTheLineOfTheKernelsSource) {
  const auto text = read_file(sample("copy"));
  const auto module = parse_ttir(*text, "copy.ttir");
  ASSERT_TRUE(module);
  for (const auto& operation : module->functions.front().body.blocks.front().operations) {
    if (operation.name == "tt.load") {
      EXPECT_THAT(module->source_line(operation), HasSubstr("kernels.py:"));
    }
  }
}

TEST(TritonParser, SaysWhereTheTextIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "no tt.func"},
      {"hello", "expected tt.func"},
      {"tt.func @k() {\n  %a = arith.addi %b, %b : i32\n}", "t.ttir:2: error: %b is not defined"},
      {"tt.func @k() {\n  tt.return\n", "a region has no '}'"},
      {"tt.func @k(%a: tensor<99999999999xf32>) {\n}", "too large"},
      {"tt.func @k(%a: what) {\n}", "expected a type"},
      {"tt.func @k() {\n  %a = arith.constant 99999999999999999999 : i32\n}", "does not fit 64 bits"},
      {"tt.func @k() {\n  %a:2 = arith.constant 1 : i32\n}", "1 result(s), not 2"},
      {"tt.func @k() {\n  scf.for %i = 0 {\n}", "t.ttir:2: error: expected"},
  };
  for (const auto& [text, message] : wrong) {
    const auto module = parse_ttir(text, "t.ttir");
    ASSERT_FALSE(module) << text;
    EXPECT_THAT(describe(module.error()), HasSubstr(message)) << text;
    EXPECT_EQ(exit_code(module.error()), 2);
  }
}

}  // namespace
}  // namespace swizzleperf

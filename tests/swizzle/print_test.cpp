// The printed code computes what the evaluator computes, on whole grids: C is compiled and run.
#include "swizzle/print.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/process.h"
#include "swizzle/families.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

struct Printed {
  Swizzle swizzle;
  bool guarded = true;
};

Swizzle swizzle_of(const std::string& map, const Grid& grid, const Sizes& sizes = {{"num_xcds", 8}}) {
  const auto expr = SwizzleExpr::parse(map);
  EXPECT_TRUE(expr) << map;
  auto proof = prove(*expr, grid, sizes);
  EXPECT_TRUE(proof) << map;
  return std::get<Swizzle>(std::move(*proof));
}

// Compiles all maps into one library and compares each with its swizzle on the whole grid.
void expect_printed_c_equals_evaluator(const std::vector<Printed>& maps) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  std::string source;
  for (size_t i = 0; i < maps.size(); ++i) {
    const auto printed =
        print_map(maps[i].swizzle, Target::kC, {.prefix = fmt::format("m{}_", i), .guarded = maps[i].guarded});
    ASSERT_TRUE(printed) << describe(printed.error());
    source += printed->helpers + printed->body;
  }
  const std::string c_file = (folder->path() / "maps.c").string();
  const std::string library = (folder->path() / "maps.so").string();
  ASSERT_TRUE(write_file_atomic(c_file, source));
  const auto compiled = run_process({"clang-19", "-std=c11", "-O1", "-w", "-shared", "-fPIC", "-o", library, c_file});
  ASSERT_TRUE(compiled);
  ASSERT_TRUE(compiled->ok()) << compiled->err;
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  using Map = void (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t*);
  for (size_t i = 0; i < maps.size(); ++i) {
    const auto map = reinterpret_cast<Map>(dlsym(handle, fmt::format("m{}_map", i).c_str()));
    const Grid& grid = maps[i].swizzle.grid();
    int64_t different = 0;
    for (int64_t w = 0; w < grid.size(); ++w) {
      const Coordinate at = coordinate(grid, w);
      std::array<int64_t, 3> pid = {-1, -1, -1};
      map(at.x, at.y, at.z, grid.x, grid.y, grid.z, pid.data());
      different += linear(grid, {pid[0], pid[1], pid[2]}) != maps[i].swizzle.tiles()[static_cast<size_t>(w)];
    }
    EXPECT_EQ(different, 0) << maps[i].swizzle.expr().text();
  }
  dlclose(handle);
}

TEST(PrintC, FamiliesEqualTheEvaluator) {
  std::vector<Printed> maps;
  for (const FamilyRequest& request : std::vector<FamilyRequest>{
           {.grid = {31, 17}, .num_xcds = 8}, {.grid = {1001}, .num_xcds = 8}, {.grid = {6, 5, 7}, .num_xcds = 8}}) {
    const auto members = enumerate_families(request);
    for (size_t i = 0; i < members.size(); i += 1 + members.size() / 60) {
      maps.push_back({swizzle_of(members[i].map, request.grid), i % 2 == 0});
    }
  }
  expect_printed_c_equals_evaluator(maps);
}

TEST(PrintC, PublishedBijectionsEqualTheEvaluator) {
  const Json all =
      Json::parse(std::ifstream(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/cases/published_maps.json"));
  std::vector<Printed> maps;
  for (const Json& one : all) {
    if (!one["bijective"].get<bool>()) continue;
    std::array<int64_t, 3> axes = {1, 1, 1};
    for (size_t i = 0; i < one["grid"].size(); ++i) axes.at(i) = one["grid"][i];
    maps.push_back({swizzle_of(one["map"], {axes[0], axes[1], axes[2]}), true});
  }
  EXPECT_GT(maps.size(), 40U);
  expect_printed_c_equals_evaluator(maps);
}

// A random expression: nested operators over the inputs, so that precedence and laziness are exercised.
std::string random_expression(int depth) {
  const auto pick = [](std::vector<std::string> from) { return *rc::gen::elementOf(std::move(from)); };
  if (depth == 0) return pick({"wg_y", "grid_x", "num_wgs", "3", "7", "num_xcds"});
  const std::string a = random_expression(depth - 1);
  const std::string b = random_expression(depth - 1);
  const std::string op = pick({"+", "-", "*", "&", "|", "^", "<", "==", "&&", "||", "?", "/", "%", "min", "-u", "!"});
  if (op == "?") return "(" + a + " ? " + b + " : " + a + ")";
  if (op == "min") return "min(" + a + ", " + b + ")";
  if (op == "-u") return "-(" + a + ")";
  if (op == "!") return "!(" + a + ")";
  if (op == "/" || op == "%") return "(" + a + ") " + op + " ((" + b + ") * 2 + 1)";
  return *rc::gen::arbitrary<bool>() ? "(" + a + ") " + op + " (" + b + ")" : a + " " + op + " " + b;
}

// Rotating each row by an amount that depends on the row alone is a bijection, whatever the expression is.
TEST(PrintC, RandomExpressionsEqualTheEvaluator) {
  std::vector<Printed> maps;
  rc::check("collect printable maps", [&] {
    const std::string map =
        "f = " + random_expression(3) + "; g = (f % 64 + 64) % 64; pid = wg ^ g & 63 ^ ((f % 64 + 64) % 64) & 63";
    const auto expr = SwizzleExpr::parse(map);
    RC_ASSERT(expr.has_value());
    const auto proof = prove(*expr, Grid{16, 12}, {{"num_xcds", 8}});
    if (proof && std::holds_alternative<Swizzle>(*proof))
      maps.push_back({std::get<Swizzle>(*proof), maps.size() % 2 == 0});
  });
  EXPECT_GT(maps.size(), 20U);
  expect_printed_c_equals_evaluator(maps);
}

TEST(PrintLanguage, ParsesBackToAnEqualSwizzle) {
  for (const auto& member : enumerate_families({.grid = {12, 10}, .num_xcds = 8})) {
    const Swizzle swizzle = swizzle_of(member.map, {12, 10});
    EXPECT_EQ(swizzle_of(print_map(swizzle, Target::kLanguage)->body, {12, 10}), swizzle) << member.name;
  }
}

TEST(PrintHip, GuardsNarrowsAndNamesTheRealBlockIndex) {
  const auto printed = print_map(swizzle_of("pid_x = wg_y; pid_y = wg_x", {24, 24}), Target::kHip).value();
  EXPECT_EQ(printed.bits, 32);
  EXPECT_THAT(printed.body, HasSubstr("::gridDim.x == 24u && ::gridDim.y == 24u && ::gridDim.z == 1u"));
  EXPECT_THAT(printed.body, HasSubstr("::blockIdx.x"));
  const auto unguarded =
      print_map(swizzle_of("pid = num_wgs - 1 - wg", {24}), Target::kHip, {.guarded = false}).value();
  EXPECT_EQ(unguarded.bits, 64);
  EXPECT_THAT(unguarded.body, Not(HasSubstr("if (")));
}

TEST(PrintHip, IntermediatesBeyond32BitsWidenTheType) {
  EXPECT_EQ(print_map(swizzle_of("pid = wg * 4294967296 / 4294967296", {24}), Target::kHip)->bits, 64);
}

TEST(PrintTriton, UsesTheLaunchIdsAndFloorFreeDivision) {
  const auto printed = print_map(swizzle_of("pid = wg / 2 + wg % 2 * 12", {24}), Target::kTriton).value();
  EXPECT_THAT(printed.body, HasSubstr("tl.program_id(0)"));
  EXPECT_THAT(printed.body, HasSubstr("//"));
  EXPECT_FALSE(
      print_map(swizzle_of("pid_x = hilbert_x(wg, 4, 4); pid_y = hilbert_y(wg, 4, 4)", {4, 4}), Target::kTriton));
}

}  // namespace
}  // namespace swizzleperf

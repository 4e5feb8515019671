// The printed code computes what the evaluator computes, on whole grids: C and device code are compiled and run.
#include "swizzle/print.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include "base/file.h"
#include "base/process.h"
#include "swizzle/program.h"
#include "tests/swizzle/printing.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Map = void (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t*);

// A library out of one source file, with a function m<i>_map for each map.
class Library {
 public:
  Library(const std::string& source, const std::vector<std::string>& compiler, const std::string& name)
      : folder_(TemporaryFolder::create().value()) {
    const std::string file = (folder_.path() / name).string();
    const std::string library = (folder_.path() / "maps.so").string();
    EXPECT_TRUE(write_file_atomic(file, source));
    std::vector<std::string> command = compiler;
    command.insert(command.end(), {"-O0", "-shared", "-fPIC", "-o", library, file});
    const auto compiled = run_process(command, {.wall = std::chrono::minutes(5)});
    EXPECT_TRUE(compiled && compiled->ok()) << (compiled ? compiled->err : "");
    handle_ = dlopen(library.c_str(), RTLD_NOW);
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Map map(size_t i) const { return reinterpret_cast<Map>(dlsym(handle_, fmt::format("m{}_map", i).c_str())); }

 private:
  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

// Tiles of a whole grid; -1 for what leaves it.
std::vector<int32_t> tiles_of(Map map, const Grid& grid) {
  std::vector<int32_t> tiles;
  for (int64_t w = 0; w < grid.size(); ++w) {
    const Coordinate at = coordinate(grid, w);
    std::array<int64_t, 3> pid = {-1, -1, -1};
    map(at.x, at.y, at.z, grid.x, grid.y, grid.z, pid.data());
    const bool inside =
        pid[0] >= 0 && pid[0] < grid.x && pid[1] >= 0 && pid[1] < grid.y && pid[2] >= 0 && pid[2] < grid.z;
    tiles.push_back(inside ? static_cast<int32_t>(linear(grid, {pid[0], pid[1], pid[2]})) : -1);
  }
  return tiles;
}

Library compile_c(const std::vector<Printed>& maps) {
  std::string source;
  for (size_t i = 0; i < maps.size(); ++i) {
    const auto printed =
        print_map(maps[i].swizzle, Target::kC, {.prefix = fmt::format("m{}_", i), .guarded = maps[i].guarded});
    EXPECT_TRUE(printed) << describe(printed.error());
    source += printed->helpers + printed->body;
  }
  return Library(source, {"clang-19", "-std=c11", "-w"}, "maps.c");
}

// Device code of HIP and CUDA with stand-ins for the launch's ids.
Library compile_device(const std::vector<Printed>& maps) {
  std::string source =
      "struct uint3 { unsigned x, y, z; };\nstatic uint3 blockIdx, gridDim;\n"
      "static void set(uint3& v, long long x, long long y, long long z) { v = {(unsigned)x, (unsigned)y, (unsigned)z}; "
      "}\n";
  for (size_t i = 0; i < maps.size(); ++i) {
    const auto printed =
        print_map(maps[i].swizzle, i % 2 == 0 ? Target::kHip : Target::kCuda, {.guarded = maps[i].guarded});
    EXPECT_TRUE(printed) << describe(printed.error());
    source += fmt::format(
        "extern \"C\" void m{}_map(long long x, long long y, long long z, long long gx, long long gy, long long gz, "
        "long long* pid) {{\n  set(blockIdx, x, y, z);\n  set(gridDim, gx, gy, gz);\n{}"
        "  pid[0] = sp_pid_x; pid[1] = sp_pid_y; pid[2] = sp_pid_z;\n}}\n",
        i, printed->body);
  }
  return Library(source, {"clang++-19", "-std=c++17", "-w"}, "maps.cpp");
}

void expect_equals_evaluator(const Library& library, const std::vector<Printed>& maps) {
  for (size_t i = 0; i < maps.size(); ++i)
    EXPECT_TRUE(tiles_of(library.map(i), maps[i].swizzle.grid()) == maps[i].swizzle.tiles())
        << maps[i].swizzle.expr().text() << (maps[i].guarded ? "" : " (unguarded)");
}

TEST(PrintC, FamiliesAndCurvesEqualTheEvaluator) {
  const auto maps = family_maps(2, medium_requests());
  EXPECT_GT(maps.size(), 200U);
  expect_equals_evaluator(compile_c(maps), maps);
}

TEST(PrintC, PublishedBijectionsEqualTheEvaluator) {
  const auto maps = published_maps(int64_t{1} << 31);
  EXPECT_GT(maps.size(), 40U);
  expect_equals_evaluator(compile_c(maps), maps);
}

TEST(PrintDevice, FamiliesAndCurvesEqualTheEvaluator) {
  const auto maps = family_maps(1, medium_requests());
  expect_equals_evaluator(compile_device(maps), maps);
}

// Unguarded maps are active on grids other than the one they were proven on, and leave alone those of more axes.
TEST(PrintC, UnguardedMapsAreBijectionsElsewhereToo) {
  std::vector<Printed> maps;
  for (const auto& map : family_maps(1, medium_requests())) {
    if (!map.guarded) maps.push_back(map);
  }
  const Library library = compile_c(maps);
  int active = 0;
  for (size_t i = 0; i < maps.size(); ++i) {
    const Swizzle& swizzle = maps[i].swizzle;
    const int axes = swizzle.grid().axes();
    for (const Grid& grid : std::vector<Grid>{{13, axes > 1 ? 7 : 1, axes > 2 ? 3 : 1}, {8, 4, 3}, {64, 1, 1}}) {
      const auto tiles = tiles_of(library.map(i), grid);
      const MapReport report = inspect_map(grid, tiles);
      EXPECT_TRUE(report.bijective) << swizzle.expr().text() << " on " << to_string(grid);
      active += report.identity ? 0 : 1;
      if (grid.axes() > axes && !swizzle.expr().program().linear_result) EXPECT_TRUE(report.identity);
      const auto expected = evaluate_map(swizzle.expr(), grid, swizzle.sizes());
      if (grid.axes() <= axes && expected) EXPECT_EQ(tiles, *expected) << swizzle.expr().text();
    }
  }
  EXPECT_GT(active, 20);
}

// A random expression: nested operators over the inputs, so that precedence and laziness are exercised.
std::string random_expression(int depth) {
  const auto pick = [](std::vector<std::string> from) { return *rc::gen::elementOf(std::move(from)); };
  if (depth == 0) return pick({"wg_y", "grid_x", "num_wgs", "3", "7", "num_xcds", "65536"});
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
    if (proof && std::holds_alternative<Swizzle>(*proof)) maps.push_back({std::get<Swizzle>(*proof), true});
  });
  EXPECT_GT(maps.size(), 20U);
  expect_equals_evaluator(compile_c(maps), maps);
  expect_equals_evaluator(compile_device(maps), maps);
}

TEST(PrintC, LiteralsAreAsWideAsTheArithmetic) {
  const std::vector<Printed> maps = {
      {swizzle_of("pid = wg + 65536 * 65536 / 65536 - 65536", {24}), true},
      {swizzle_of("pid = wg + M * N / N - M", {24}, {{"M", 100000}, {"N", 100000}}), true},
      {swizzle_of("pid = wg + (-9223372036854775807 - 1) - L", {24}, {{"L", INT64_MIN}}), true},
      {swizzle_of("pid = wg ^ (1 << 40) ^ (1 << 40)", {24}), true}};
  for (const Printed& map : maps) EXPECT_EQ(print_map(map.swizzle, Target::kC)->bits, 64);
  expect_equals_evaluator(compile_c(maps), maps);
  expect_equals_evaluator(compile_device(maps), maps);
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
  EXPECT_EQ(printed.most_workgroups, 0);
  EXPECT_THAT(printed.body, HasSubstr("if (::gridDim.x == 24u && ::gridDim.y == 24u && ::gridDim.z == 1u)"));
  EXPECT_THAT(printed.body, HasSubstr("::blockIdx.x"));
  const auto two = print_map(swizzle_of("pid_x = wg_y; pid_y = wg_x", {24, 24}), Target::kHip,
                             {.guard_grids = {{8, 8, 1}, {24, 24, 1}}})
                       .value();
  EXPECT_THAT(two.body,
              HasSubstr("(::gridDim.x == 24u && ::gridDim.y == 24u && ::gridDim.z == 1u) || (::gridDim.x == 8u"));
}

TEST(PrintHip, UnguardedMapsAreAsNarrowAsTheirBoundAllows) {
  const auto printed = [](const std::string& map, const Grid& grid) {
    return print_map(swizzle_of(map, grid), Target::kHip, {.guarded = false}).value();
  };
  const auto reversed = printed("pid = num_wgs - 1 - wg", {24});
  EXPECT_EQ(reversed.bits, 32);
  EXPECT_EQ(reversed.most_workgroups, (int64_t{1} << 31) - 1);
  EXPECT_THAT(reversed.body, HasSubstr("* ::gridDim.z <= 2147483647"));
  EXPECT_THAT(reversed.body, Not(HasSubstr("== 24u")));
  // 8 * grid_x must fit.
  const auto grouped = printed(
      "g = wg / (8 * grid_x) * 8; h = min(grid_y - g, 8); m = wg % (8 * grid_x); "
      "pid_x = m / h; pid_y = g + m % h",
      {40, 30});
  EXPECT_EQ(grouped.bits, 32);
  EXPECT_LT(grouped.most_workgroups, int64_t{1} << 28);
  EXPECT_GE(grouped.most_workgroups, int64_t{1} << 27);
  EXPECT_THAT(grouped.body, HasSubstr("::gridDim.z == 1u"));
  const auto curve = printed("pid_x = hilbert_x(wg, grid_y, grid_x); pid_y = hilbert_y(wg, grid_y, grid_x)", {40, 30});
  EXPECT_EQ(curve.bits, 32);
  // Where hardly any grid would be left, 64 bits serve all.
  const auto wide = printed("pid = wg * 65536 / 65536", {24});
  EXPECT_EQ(wide.bits, 64);
  EXPECT_EQ(wide.most_workgroups, (int64_t{1} << 31) - 1);
}

TEST(PrintHip, UnguardedMapsThatMayLeave64BitsAreRefused) {
  const auto printed =
      print_map(swizzle_of("pid = wg * 8589934592 / 8589934592", {24}), Target::kHip, {.guarded = false});
  ASSERT_FALSE(printed);
  EXPECT_EQ(printed.error().blame, Blame::kUnsupported);
}

TEST(PrintHip, OperationsCountLaunchIdsGuardAndCurves) {
  const auto operations = [](const std::string& map, const Grid& grid, bool guarded = true) {
    return print_map(swizzle_of(map, grid), Target::kHip, {.guarded = guarded})->operations;
  };
  EXPECT_EQ(operations("pid_x = wg_y; pid_y = wg_x", {4, 4}), 5);  // the guard
  EXPECT_EQ(operations("pid_x = grid_x - 1 - wg_x; pid_y = wg_y", {4, 4}), 7);
  EXPECT_EQ(operations("pid = num_wgs - 1 - wg", {4}, false), 2 + 2 + 4 + 5 + 3);
  const int small = operations("pid_x = hilbert_x(wg, 4, 4); pid_y = hilbert_y(wg, 4, 4)", {4, 4});
  EXPECT_GT(operations("pid_x = hilbert_x(wg, 64, 64); pid_y = hilbert_y(wg, 64, 64)", {64, 64}), small);
}

}  // namespace
}  // namespace swizzleperf

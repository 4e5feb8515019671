// Declared workloads: what a program of tile accesses turns into, and what is said of mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/case.h"

namespace swizzleperf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A case of 2 x 2 tiles with arrays a (fp16, 8 x 100), t (a transposed view, fp32, 4 x 6), v (int32, 64).
std::string case_with(const std::string& program) {
  return "program = '''\n" + program + R"toml('''
[launch]
grid = [2, "G"]
block = [64]
[variants]
main = { G = 2 }
[[arrays]]
name = "a"
dtype = "fp16"
shape = [8, 100]
[[arrays]]
name = "t"
dtype = "fp32"
shape = [4, 6]
strides = [1, 4]
[[arrays]]
name = "v"
dtype = "int32"
shape = [64]
[[tables]]
name = "S"
sparse = { rows = 4, columns = 64, density = 1, seed = 3 }
[[tables]]
name = "r"
random = { length = 1000, low = -2, high = 70, seed = 5 }
)toml";
}

Expected<Workload> workload_of(const std::string& toml) {
  const auto the_case = parse_case(toml, "test.toml");
  if (!the_case) return tl::unexpected(the_case.error());
  const auto instance = the_case->instance(the_case->default_variant);
  if (!instance) return tl::unexpected(instance.error());
  return the_case->declared->workload(*instance, 64, 1000000);
}
Expected<Workload> run(const std::string& program) {
  return workload_of(case_with(program));
}
std::string error_of(const std::string& program) {
  const auto workload = run(program);
  return workload ? "no error" : describe(workload.error());
}

// "array+origin:offset,bytes*repeat ..." of each access of each phase of a tile.
std::vector<std::vector<std::string>> phases_of(const Workload& workload, int64_t tile) {
  std::vector<std::vector<std::string>> phases;
  for (int64_t p = workload.tile_begin[tile]; p < workload.tile_begin[tile + 1]; ++p) {
    phases.emplace_back();
    for (int64_t i = workload.phase_begin[p]; i < workload.phase_begin[p + 1]; ++i) {
      const Access& access = workload.accesses[i];
      std::string text = workload.arrays[access.array].name;
      text += access.kind == AccessKind::kLoad         ? " load"
              : access.kind == AccessKind::kScalarLoad ? " scalar"
              : access.kind == AccessKind::kStore      ? " store"
                                                       : " atomic";
      for (const Segment& s : workload.patterns[access.pattern].segments)
        text += " " + std::to_string(access.origin + s.offset) + "+" + std::to_string(s.bytes);
      phases.back().push_back(std::move(text));
    }
  }
  return phases;
}

TEST(Declared, ATileIsItsRows) {
  const auto workload = run("load a[2 * pid_y : 2, 10 * pid_x : 10]");
  ASSERT_TRUE(workload) << describe(workload.error());
  EXPECT_EQ(workload->grid, (Grid{2, 2, 1}));
  EXPECT_EQ(workload->threads_per_workgroup, 64);
  EXPECT_THAT(phases_of(*workload, 0), ElementsAre(ElementsAre("a load 0+20 200+20")));
  EXPECT_THAT(phases_of(*workload, 3), ElementsAre(ElementsAre("a load 420+20 620+20")));
  EXPECT_EQ(workload->patterns.size(), 1U);
}

TEST(Declared, WholeRowsAreOneSegmentAndStridesAreFollowed) {
  const auto workload = run("load a[1 : 3, 0 : 100]; load t[0 : 2, 1 : 2]");
  ASSERT_TRUE(workload) << describe(workload.error());
  // t is stored column by column: element (i, j) lies at 4 * (i + 4 j).
  EXPECT_THAT(phases_of(*workload, 0), ElementsAre(ElementsAre("a load 200+600", "t load 16+4 32+4 20+4 36+4")));
}

TEST(Declared, WhatLiesOutsideTheArrayIsMaskedOff) {
  const auto workload = run("load v[64 * pid - 4 : 8]\nstore v[0]");
  ASSERT_TRUE(workload) << describe(workload.error());
  EXPECT_THAT(phases_of(*workload, 0), ElementsAre(ElementsAre("v load 0+16"), ElementsAre("v store 0+4")));
  EXPECT_THAT(phases_of(*workload, 1), ElementsAre(ElementsAre("v load 240+16"), ElementsAre("v store 0+4")));
  EXPECT_THAT(phases_of(*workload, 2), ElementsAre(ElementsAre("v store 0+4")));
}

TEST(Declared, PhasesEndAtWaitsStoresAndPassesOfALoop) {
  const auto workload = run(R"(
load v[0]
load v[1]
wait
load v[2]
store v[3]
for k in 0 .. 2 { load v[k]; load v[k + 8] }
unroll k in 0 .. 2 { load v[k]; scalar v[k + 8] }
atomic v[9]
)");
  ASSERT_TRUE(workload) << describe(workload.error());
  EXPECT_THAT(
      phases_of(*workload, 0),
      ElementsAre(ElementsAre("v load 0+4", "v load 4+4"), ElementsAre("v load 8+4"), ElementsAre("v store 12+4"),
                  ElementsAre("v load 0+4", "v load 32+4"), ElementsAre("v load 4+4", "v load 36+4"),
                  ElementsAre("v load 0+4", "v scalar 32+4", "v load 4+4", "v scalar 36+4", "v atomic 36+4")));
}

TEST(Declared, LoopsConditionsAndVariablesFollowTheTile) {
  const auto workload = run(R"(
first = pid == 0 ? 1 : 2      # a comment
for q in pid .. 8 step num_wgs {
  if q % 2 == 0 { load v[q] } else if q == 3 { load v[30 + first] } else { last = q; load v[40 + last] }
}
)");
  ASSERT_TRUE(workload) << describe(workload.error());
  EXPECT_THAT(phases_of(*workload, 0), ElementsAre(ElementsAre("v load 0+4"), ElementsAre("v load 16+4")));
  EXPECT_THAT(phases_of(*workload, 3), ElementsAre(ElementsAre("v load 128+4"), ElementsAre("v load 188+4")));
}

TEST(Declared, EveryWaveInstructionRequestsItsOwnUnits) {
  // 16 rows of 4 B: a wave of 8 lanes of 4 B covers 8 of them, and blocks of (2, 4) cover eight elements each.
  const auto lanes = run("store v[0 : 64] lane 1");
  ASSERT_TRUE(lanes) << describe(lanes.error());
  EXPECT_THAT(phases_of(*lanes, 0), ElementsAre(ElementsAre("v store 0+64 64+64 128+64 192+64")));
  const auto blocks = run("store a[0 : 2, 0 : 6] wave (2, 4)");
  ASSERT_TRUE(blocks) << describe(blocks.error());
  EXPECT_THAT(phases_of(*blocks, 0), ElementsAre(ElementsAre("a store 0+8 200+8 8+4 208+4")));
}

TEST(Declared, SparseRowsAreReadThroughTheirTables) {
  const auto workload = run("begin = S_start[pid]\nload v[S_column[begin : S_nnz / 4]]");
  ASSERT_TRUE(workload) << describe(workload.error());
  // Density 1: row by row all 64 columns, in two lines of 128 B.
  for (int tile = 0; tile < 4; ++tile)
    EXPECT_THAT(phases_of(*workload, tile), ElementsAre(ElementsAre("v load 0+128 128+128")));
}

TEST(Declared, AGatherAsksForEachLineOfEachWaveOnceAndSkipsWhatIsOutside) {
  const auto workload = run("load v[r[0 : 640]]");
  ASSERT_TRUE(workload) << describe(workload.error());
  // An eighth of the 640 elements lie outside; the others are nine waves of two lines at most, an access each.
  EXPECT_EQ(workload->accesses.size(), 4 * 9U);
  for (const Pattern& pattern : workload->patterns) {
    EXPECT_LE(pattern.segments.size(), 2U);
    for (const Segment& s : pattern.segments) EXPECT_EQ(s.offset / 128, (s.offset + s.bytes - 1) / 128);
  }
}

TEST(Declared, TablesAreTheSameEveryTime) {
  const auto one = run("x = r[7]\nload v[max(x, 0)]"), two = run("x = r[7]\nload v[max(x, 0)]");
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->accesses.front().origin, two->accesses.front().origin);
}

TEST(DeclaredErrors, NameTheLineAndTheColumn) {
  EXPECT_THAT(error_of("load a[0 : 1]"), HasSubstr("test.toml:2:6: error: 'a' has 2 axes, and 1 are given"));
  EXPECT_THAT(error_of("\nload b[0]"), HasSubstr("test.toml:3:6: error: unknown array 'b'"));
  EXPECT_THAT(error_of("load v[4 * wg]"), HasSubstr("test.toml:2:12: error: unknown name 'wg'"));
  EXPECT_THAT(error_of("load v[2 +]"), HasSubstr("test.toml:2:"));
  EXPECT_THAT(error_of("x = 1\nload v[x / (pid - 2)]"), HasSubstr("test.toml:3:8: error: division by zero (tile 2)"));
  EXPECT_THAT(error_of("pid = 3\nload v[0]"), HasSubstr("'pid' is given and cannot be assigned"));
  EXPECT_THAT(error_of("load v[0] wide"), HasSubstr("'wide' is no option of an access"));
  EXPECT_THAT(error_of("load v[0] load v[1]"), HasSubstr("test.toml:2:11: error"));
  EXPECT_THAT(error_of("store v[0] wave (1, 2)"), HasSubstr("'wave' needs 1 figures"));
  EXPECT_THAT(error_of("for k in 0 .. 4 { load v[k]"), HasSubstr("this block is not closed"));
  EXPECT_THAT(error_of("load v[0] }"), HasSubstr("'}' without a block"));
  EXPECT_THAT(error_of("for k in 0 .. 4 { load v[k] }\nload v[k]"),
              HasSubstr("test.toml:3:8: error: unknown name 'k'"));
  EXPECT_THAT(error_of("for k in 0 .. 4 step pid { load v[k] }"), HasSubstr("the loop's step is 0"));
  EXPECT_THAT(error_of("x = r[1000]\nload v[0]"),
              HasSubstr("places 1000 to 1000 of the table 'r', which has 1000 values"));
  EXPECT_THAT(error_of("load t[r[0 : 4], r[0 : 4]]"), HasSubstr("only one axis of an access can be gathered"));
  EXPECT_THAT(error_of("wait"), HasSubstr("the program reads and writes nothing"));
}

TEST(DeclaredErrors, AnAccessThatIsNeverInsideItsArray) {
  EXPECT_THAT(error_of("load v[0]\nload v[64 + pid]"),
              HasSubstr("test.toml:3:1: error: this access never lies inside"));
}

TEST(DeclaredErrors, EveryProgramEnds) {
  EXPECT_THAT(error_of("for k in 0 .. 1 << 40 { }\nload v[0]"), HasSubstr("the program takes more than"));
}

TEST(DeclaredErrors, FieldsOfTheCaseFile) {
  const auto error_in = [](const std::string& from, const std::string& to) {
    std::string text = case_with("load v[0]\n");
    text.replace(text.find(from), from.size(), to);
    const auto workload = workload_of(text);
    return workload ? std::string("no error") : describe(workload.error());
  };
  EXPECT_THAT(error_in("shape = [64]", "shape = [0]"), HasSubstr("an extent of 'v' is 0"));
  EXPECT_THAT(error_in("strides = [1, 4]", "strides = [1]"), HasSubstr("array 't' has 2 axes and 1 strides"));
  EXPECT_THAT(error_in("name = \"t\"", "name = \"v\""), HasSubstr("the name 'v' is given twice"));
  EXPECT_THAT(error_in("dtype = \"int32\"", "dtype = \"int3\""), HasSubstr("unknown dtype 'int3'"));
  EXPECT_THAT(error_in("density = 1", "density = 2"), HasSubstr("'density' must be a number from 0 to 1"));
  EXPECT_THAT(error_in("low = -2", "low = 71"), HasSubstr("'high' is 70"));
  EXPECT_THAT(error_in("low = -2", "lo = -2"), HasSubstr("unknown field 'lo'"));
  EXPECT_THAT(error_in("[variants]", "source = \"x.hip\"\n[variants]"), HasSubstr("unknown field 'source'"));
}

}  // namespace
}  // namespace swizzleperf

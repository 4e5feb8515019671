// The workload of a whole grid, inferred from a few tiles, is that of tracing every tile.
#include <numeric>
#include <set>

#include "kernel_fixture.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;
using testing::Not;

class Infer : public KernelTest {
 protected:
  Expected<Workload> workload(const Case& the_case) {
    const auto info = analyse_source(the_case);
    if (!info) return tl::unexpected(info.error());
    const auto kernel = TracedKernel::compile(the_case, *info, info->source);
    if (!kernel) return tl::unexpected(kernel.error());
    kernel_.emplace(*kernel);
    instance_ = the_case.instance(the_case.default_variant).value();
    return trace_workload(*kernel, instance_, 32);
  }

  // Every access of a tile: array, kind, and the bytes of its segments, phase by phase.
  static std::vector<std::vector<int64_t>> listed(const Workload& workload, int64_t tile) {
    std::vector<std::vector<int64_t>> phases;
    for (int64_t p = workload.tile_begin.at(static_cast<size_t>(tile));
         p < workload.tile_begin.at(static_cast<size_t>(tile) + 1); ++p) {
      std::vector<int64_t>& phase = phases.emplace_back();
      for (int64_t i = workload.phase_begin.at(static_cast<size_t>(p));
           i < workload.phase_begin.at(static_cast<size_t>(p) + 1); ++i) {
        const Access& access = workload.accesses.at(static_cast<size_t>(i));
        phase.insert(phase.end(), {access.array, static_cast<int64_t>(access.kind)});
        for (const Segment& segment : workload.patterns.at(static_cast<size_t>(access.pattern)).segments)
          phase.insert(phase.end(), {access.origin + segment.offset, segment.bytes, segment.repeat});
      }
    }
    return phases;
  }

  // Infers the workload, compares it tile by tile, and returns how it was inferred.
  std::string inferred(const std::string& body, const std::string& grid, int64_t block = 32) {
    const std::string source = "__global__ void k(float* a, float* b, float* c) {\n" + body + "}\n";
    EXPECT_TRUE(write_file_atomic(folder_.path() / "k.cu", source));
    const Case the_case = parse_case(text_with_grid(grid, block), folder_.path() / "case.toml").value();
    const auto found = workload(the_case);
    EXPECT_TRUE(found) << describe(found.error());
    if (!found) return "";
    std::vector<int64_t> all(static_cast<size_t>(instance_.grid.size()));
    std::iota(all.begin(), all.end(), 0);
    const auto traced = trace_tiles(*kernel_, instance_, {.tiles = all, .wave_lanes = 32});
    EXPECT_TRUE(traced) << describe(traced.error());
    for (const TracedTile& tile : *traced)
      EXPECT_EQ(listed(*found, tile.tile), listed(tile.footprint, 0)) << "tile " << tile.tile;
    return found->footprint_source;
  }

  static std::string text_with_grid(const std::string& grid, int64_t block) {
    std::string toml = fmt::format(
        "source = \"k.cu\"\nkernel = \"k\"\ndialect = \"cuda\"\n[launch]\ngrid = {}\nblock = [{}]\n[variants.main]\nN "
        "= 1\n",
        grid, block);
    for (const char* name : {"a", "b", "c"})
      toml += fmt::format(
          "[[args]]\nname = \"{}\"\ndtype = \"fp32\"\nshape = [65536]\noutput = true\ninit = \"zeros\"\n", name);
    return toml;
  }

  std::optional<TracedKernel> kernel_;
  CaseInstance instance_;
};

// A block of queries and as many blocks of keys as `end` says, each step closed by barriers.
std::string attention(const std::string& end, const std::string& head = "(blockIdx.z * 4 + blockIdx.y)",
                      const std::string& key_head = "(blockIdx.z * 4 + blockIdx.y)", const std::string& limit = "512") {
  return "  __shared__ float s[32];\n  const int head = " + head + ", key_head = " + key_head + ", limit = " + limit +
         ";\n  float sum = 0;\n"
         "  const int q = blockIdx.x * 32 + threadIdx.x;\n  if (q < limit) sum = a[head * 512 + q];\n"
         "  for (int k = 0; k < " +
         end +
         "; ++k) {\n    const int at = k * 32 + threadIdx.x;\n    s[threadIdx.x] = at < limit ? b[key_head * 512 + at] "
         ": 0;\n"
         "    __syncthreads();\n    sum += s[31 - threadIdx.x];\n    __syncthreads();\n  }\n"
         "  if (q < limit) c[head * 512 + q] = sum;\n";
}

TEST_F(Infer, TilesThatGrowAlongAnAxis) {
  const char* grid = "[16, 4, 3]";
  const std::string grows = "longer step by step along x";
  EXPECT_THAT(inferred(attention("blockIdx.x + 1"), grid), HasSubstr(grows));
  EXPECT_THAT(inferred(attention("gridDim.x - blockIdx.x"), grid), HasSubstr(grows));
  EXPECT_THAT(inferred(attention("2 * blockIdx.x + 2"), "[8, 4, 3]"), HasSubstr(grows));
  // A block of keys as long as two of queries; a head of keys for two of queries; a last block that is cut off.
  EXPECT_THAT(inferred(attention("blockIdx.x / 2 + 1"), grid), HasSubstr(grows));
  EXPECT_THAT(
      inferred(attention("blockIdx.x + 1", "(blockIdx.z * 4 + blockIdx.y)", "(blockIdx.z * 2 + blockIdx.y / 2)"), grid),
      HasSubstr(grows));
  EXPECT_THAT(
      inferred(attention("blockIdx.x + 1", "(blockIdx.z * 4 + blockIdx.y)", "(blockIdx.z * 4 + blockIdx.y)", "500"),
               grid),
      HasSubstr(grows));
}

TEST_F(Infer, KeysFromTheDiagonalBackwards) {
  std::string body = attention("blockIdx.x + 1");
  body.replace(body.find("k * 32"), 1, "(blockIdx.x - k)");
  EXPECT_THAT(inferred(body, "[16, 4, 3]"), HasSubstr("longer step by step along x"));
}

TEST_F(Infer, LengthsWithoutARuleAreFittedPlaceByPlace) {
  EXPECT_THAT(inferred(attention("(blockIdx.x * 5) % 7 + 1"), "[12, 4, 4]"), HasSubstr("at each of 12 places along x"));
  // A window: longer up to a length.
  EXPECT_THAT(inferred(attention("min(blockIdx.x + 1, 5)"), "[12, 4, 4]"), HasSubstr("along x"));
}

TEST_F(Infer, TilesThatDifferOnlyAtTheEdgesAreNoGrowth) {
  EXPECT_THAT(inferred(attention("(blockIdx.x > 0 ? 4 : 2)"), "[12, 4, 4]"), Not(HasSubstr("along x")));
}

TEST_F(Infer, LengthsThatDependOnTwoAxesAreTraced) {
  EXPECT_THAT(inferred(attention("(blockIdx.x + blockIdx.y) % 5 + 1"), "[8, 4, 2]"),
              HasSubstr("traced one by one"));
}

// The counter hands out the work: tile by tile nothing is known.
TEST_F(Infer, WorkFromACounterIsRefused) {
  const auto found =
      workload(make_case("__device__ int counter;\n__global__ void k(float* a, float* b) {\n  __shared__ int tile;\n"
                         "  if (threadIdx.x == 0) tile = atomicAdd(&counter, 1);\n  __syncthreads();\n"
                         "  b[tile * 32 + threadIdx.x] = a[tile * 32 + threadIdx.x];\n}\n",
                         32, 32, {{"a", "fp32", 1024}, {"b", "fp32", 1024}}));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().blame, Blame::kUnsupported);
  EXPECT_THAT(found.error().message, HasSubstr("order-dependent"));
}

TEST_F(Infer, PlacesToStoreFromACounterAreSaid) {
  const auto found = workload(make_case(
      "__global__ void k(float* a, int* n, float* b) {\n"
      "  const float v = a[blockIdx.x * 32 + threadIdx.x];\n  if (v > 0.5f) b[atomicAdd(n, 1)] = v;\n}\n",
      32, 32,
      {{"a", "fp32", 1024, "{ random = { seed = 1, low = 0, high = 1 } }"}, {"n", "int32", 1}, {"b", "fp32", 1024}}));
  ASSERT_TRUE(found) << describe(found.error());
  EXPECT_THAT(found->order_dependence, HasSubstr("stores elsewhere"));
  // Sums whose old values nobody wants, and the last of all workgroups, are in order.
  const auto sums =
      workload(make_case("__device__ int done;\n__global__ void k(float* a, float* b) {\n"
                         "  atomicAdd(&b[threadIdx.x], a[blockIdx.x * 32 + threadIdx.x]);\n"
                         "  if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) b[0] = a[0];\n}\n",
                         64, 32, {{"a", "fp32", 2048}, {"b", "fp32", 32}}));
  ASSERT_TRUE(sums) << describe(sums.error());
  EXPECT_EQ(sums->order_dependence, "");
}

// One element in each of 40,000 far rows: neither the memory nor the system's list of ranges is full.
TEST_F(Infer, FarRowsOfALargeMatrix) {
  const auto found = workload(
      make_case("__global__ void k(float* a, float* b) {\n"
                "  for (long row = threadIdx.x; row < 40000; row += 64) b[threadIdx.x] += a[row * 26001];\n}\n",
                1, 64, {{"a", "fp32", 1'040'040'000}, {"b", "fp32", 64}}));
  ASSERT_TRUE(found) << describe(found.error());
  EXPECT_THAT(found->accesses, Not(testing::IsEmpty()));
}

TEST_F(Infer, SitesAreLinesOfTheSource) {
  const auto found = workload(
      make_case("__global__ void k(float* a, float* b) {\n  const int i = blockIdx.x * 32 + threadIdx.x;\n"
                "  float x = a[i];\n  __syncthreads();\n  x += a[i + 32];\n  __syncthreads();\n  b[i] = x;\n}\n",
                8, 32, {{"a", "fp32", 512}, {"b", "fp32", 256}}));
  ASSERT_TRUE(found) << describe(found.error());
  const auto names = describe_sites(*kernel_, *found);
  std::set<std::string> seen;
  for (const Access& access : found->accesses) seen.insert(names.at(access.site));
  EXPECT_THAT(seen, testing::UnorderedElementsAre("k.cu:3", "k.cu:5", "k.cu:7"));
}

}  // namespace
}  // namespace swizzleperf

#include "workload/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A case whose source exists, whatever the working folder is.
const std::string kFile = std::string(SWIZZLEPERF_SOURCE_DIR) + "/examples/gemm/test.toml";

const std::string kCase = R"toml(source = "gemm.hip"
kernel = "gemm"
default = "big"
flops = "2 * N * K"
[launch]
grid = ["ceil_div(N, 128)", "M / 4"]
block = [256]
occupancy = 2
[sizes]
K = 64
M = "K * 2"
[variants]
big = { N = 1000 }
small = { N = 10, K = 8 }
[[args]]
name = "a"
dtype = "fp16"
shape = ["N", "K"]
init = { random = { seed = 1, low = -1, high = 1 } }
[[args]]
name = "c"
dtype = "fp32"
shape = ["N"]
output = true
tolerance = 0.5
[[args]]
name = "n"
dtype = "int32"
value = "N"
[[args]]
name = "alpha"
dtype = "fp32"
value = 0.5
)toml";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kCase;
  const size_t at = text.find(from);
  if (at == std::string::npos) return {};
  return text.replace(at, from.size(), to);
}

TEST(Case, EveryExampleLoadsAndEveryVariantInstantiates) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SWIZZLEPERF_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    const auto the_case = load_case(entry.path());
    ASSERT_TRUE(the_case) << describe(the_case.error());
    EXPECT_EQ(the_case->variants.front(), the_case->default_variant);
    for (const auto& variant : the_case->variants) {
      const auto instance = the_case->instance(variant);
      ASSERT_TRUE(instance) << entry.path() << " " << variant << ": " << describe(instance.error());
      EXPECT_GE(instance->grid.size(), 1);
      EXPECT_FALSE(instance->arguments.empty());
    }
  }
  EXPECT_GE(count, 10);
}

TEST(Case, EvaluatesEverythingForAVariant) {
  const auto the_case = parse_case(kCase, kFile);
  ASSERT_TRUE(the_case) << describe(the_case.error());
  EXPECT_EQ(the_case->name, "test");  // of the file
  EXPECT_EQ(the_case->dialect, Dialect::kHip);
  EXPECT_THAT(the_case->variants, testing::ElementsAre("big", "small"));
  const auto big = the_case->instance("big");
  ASSERT_TRUE(big) << describe(big.error());
  EXPECT_EQ(big->grid, (Grid{8, 32}));
  EXPECT_EQ(big->block, (Grid{256}));
  EXPECT_EQ(big->occupancy, 2);
  EXPECT_EQ(big->flops, 2.0 * 1000 * 64);
  ASSERT_EQ(big->arguments.size(), 4U);
  EXPECT_EQ(big->arguments[0].elements, 64000);
  EXPECT_FALSE(big->arguments[0].output);
  EXPECT_TRUE(big->arguments[1].output);
  EXPECT_TRUE(big->arguments[1].poisoned);
  EXPECT_EQ(big->arguments[1].tolerance, 0.5);
  EXPECT_EQ(big->arguments[2].integer, 1000);
  EXPECT_EQ(big->arguments[3].real, 0.5);
}

TEST(Case, AVariantsOwnSizeWinsOverTheCommonOne) {
  const auto small = parse_case(kCase, kFile).value().instance("small");
  ASSERT_TRUE(small) << describe(small.error());
  EXPECT_EQ(small->sizes.at("K"), 8);
  EXPECT_EQ(small->sizes.at("M"), 16);
  EXPECT_EQ(small->grid, (Grid{1, 4}));
}

TEST(Case, AnUnknownVariantListsTheKnownOnes) {
  const auto instance = parse_case(kCase, kFile).value().instance("huge");
  ASSERT_FALSE(instance);
  EXPECT_EQ(instance.error().blame, Blame::kUser);
  EXPECT_THAT(instance.error().advice, HasSubstr("big, small"));
}

struct Bad {
  const char* from;
  const char* to;
  int line;
  const char* says;
};

void expect_refused(const Bad& bad) {
  const std::string text = replaced(bad.from, bad.to);
  ASSERT_FALSE(text.empty()) << bad.from;
  const auto the_case = parse_case(text, kFile);
  std::optional<Error> error;
  if (!the_case) {
    error = the_case.error();
  } else if (const auto instance = the_case->instance(the_case->default_variant); !instance) {
    error = instance.error();
  }
  ASSERT_TRUE(error) << bad.to;
  EXPECT_EQ(error->blame, Blame::kUser);
  EXPECT_EQ(error->place.file, kFile);
  EXPECT_EQ(error->place.line, bad.line) << describe(*error);
  EXPECT_THAT(error->message, HasSubstr(bad.says));
}

class BadCase : public testing::TestWithParam<Bad> {};
TEST_P(BadCase, NamesFileLineAndField) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Missing, BadCase,
    testing::Values(Bad{"kernel = \"gemm\"\n", "", 1, "'kernel'"}, Bad{"source = \"gemm.hip\"\n", "", 1, "'source'"},
                    Bad{"default = \"big\"\n", "", 1, "'default'"}, Bad{"block = [256]\n", "", 5, "'block'"},
                    Bad{"name = \"a\"\n", "", 15, "'name'"}, Bad{"dtype = \"fp16\"\n", "", 15, "'dtype'"},
                    Bad{"shape = [\"N\", \"K\"]\n", "", 15, "'shape'"}));
INSTANTIATE_TEST_SUITE_P(
    Unknown, BadCase,
    testing::Values(Bad{"default =", "grid = 1\ndefault =", 3, "'grid'"},
                    Bad{"occupancy = 2", "waves = 2", 8, "'waves'"},
                    Bad{"tolerance = 0.5", "epsilon = 0.5", 25, "'epsilon'"},
                    Bad{"\"fp16\"", "\"float\"", 17, "'float'"}, Bad{"seed = 1", "sed = 1", 19, "'sed'"},
                    Bad{"init = { random = { seed = 1, low = -1, high = 1 } }", "init = \"ones\"", 19, "'ones'"},
                    Bad{"source = \"gemm.hip\"", "source = \"absent.hip\"", 1, "absent.hip"},
                    Bad{"default = \"big\"", "default = \"huge\"", 3, "'huge'"}));
INSTANTIATE_TEST_SUITE_P(
    WrongType, BadCase,
    testing::Values(Bad{"kernel = \"gemm\"", "kernel = 1", 2, "'kernel'"},
                    Bad{"block = [256]", "block = 256", 7, "'block'"}, Bad{"block = [256]", "block = []", 7, "'block'"},
                    Bad{"block = [256]", "block = [1, 1, 1, 1]", 7, "'block'"},
                    Bad{"block = [256]", "block = [25.6]", 7, "'block'"},
                    Bad{"occupancy = 2", "occupancy = true", 8, "'occupancy'"},
                    Bad{"output = true", "output = 1", 24, "'output'"},
                    Bad{"big = { N = 1000 }", "big = 1000", 13, "'variants.big'"},
                    Bad{"big = { N = 1000 }", "big = { N = 1.5 }", 13, "'variants.big.N'"},
                    Bad{"value = \"N\"", "value = 1.5", 29, "'value'"},
                    Bad{"default = \"big\"", "default = \"big\"\ndefines = \"A\"", 4, "'defines'"},
                    Bad{"default = \"big\"", "default = \"big\"\ndialect = \"opencl\"", 4, "'opencl'"}));
INSTANTIATE_TEST_SUITE_P(
    OutOfRange, BadCase,
    testing::Values(Bad{"block = [256]", "block = [2048]", 7, "the block"},
                    Bad{"block = [256]", "block = [0]", 7, "the block"}, Bad{"M / 4", "-M", 6, "the grid"},
                    Bad{"\"M / 4\"", "\"M / 0\"", 6, "M / 0"}, Bad{"\"M / 4\"", "\"Q / 4\"", 6, "Q / 4"},
                    Bad{"\"M / 4\"", "\"M / \"", 6, "M / "}, Bad{"\"M / 4\"", "1000000000000", 6, "the grid"},
                    Bad{"occupancy = 2", "occupancy = 0", 8, "'occupancy'"},
                    Bad{"tolerance = 0.5", "tolerance = -1", 25, "'tolerance'"},
                    Bad{"tolerance = 0.5", "tolerance = nan", 25, "'tolerance'"},
                    Bad{"seed = 1", "seed = -1", 19, "'seed'"}, Bad{"low = -1", "low = 1", 19, "'low'"},
                    Bad{"low = -1", "low = nan", 19, "'low'"},
                    Bad{"shape = [\"N\", \"K\"]", "shape = [\"N\", 0]", 18, "'a'"},
                    Bad{"shape = [\"N\", \"K\"]", "shape = [\"N\", 4611686018427387904]", 18, "'a'"}));
INSTANTIATE_TEST_SUITE_P(Contradictory, BadCase,
                         testing::Values(Bad{"value = \"N\"", "value = \"N\"\nshape = [1]", 26, "'n'"},
                                         Bad{"value = \"N\"", "value = \"N\"\noutput = true", 30, "'output'"}));
INSTANTIATE_TEST_SUITE_P(Syntax, BadCase,
                         testing::Values(Bad{"kernel = \"gemm\"", "kernel = ", 2, ""},
                                         Bad{"[launch]", "[launch", 5, ""},
                                         Bad{"kernel = \"gemm\"", "kernel = \"gemm\nx", 2, ""}));

TEST(Case, AMissingFileAndAFolderAreUserErrors) {
  for (const fs::path& path : {fs::path("/no/such/case.toml"), fs::path(SWIZZLEPERF_SOURCE_DIR)}) {
    const auto the_case = load_case(path);
    ASSERT_FALSE(the_case);
    EXPECT_EQ(the_case.error().blame, Blame::kUser);
  }
}

}  // namespace
}  // namespace swizzleperf

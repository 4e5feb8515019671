#include "workload/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>

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
    // Triton's cases have tests of their own.
    if (entry.path().extension() != ".toml" || entry.path().parent_path().filename() == "triton") continue;
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
// Values that the type does not hold.
INSTANTIATE_TEST_SUITE_P(
    Types, BadCase,
    testing::Values(Bad{"value = \"N\"", "value = 2147483648", 29, "'n' is 2147483648"},
                    Bad{"value = \"N\"", "value = \"N * 10000000\"", 29, "int32"},
                    Bad{"dtype = \"int32\"\nvalue = \"N\"", "dtype = \"uint8\"\nvalue = -1", 29, "uint8"},
                    Bad{"dtype = \"int32\"\nvalue = \"N\"", "dtype = \"int8\"\nvalue = 128", 29, "int8"},
                    Bad{"dtype = \"int32\"\nvalue = \"N\"", "dtype = \"uint64\"\nvalue = -1", 29, "uint64"},
                    Bad{"dtype = \"fp32\"\nvalue = 0.5", "dtype = \"fp16\"\nvalue = 70000.0", 33, "fp16"},
                    Bad{"dtype = \"fp32\"\nvalue = 0.5", "dtype = \"fp32\"\nvalue = 1e39", 33, "fp32"},
                    Bad{"dtype = \"fp32\"\nvalue = 0.5", "dtype = \"fp16\"\nvalue = \"N * 1000\"", 33, "fp16"},
                    Bad{"low = -1", "low = -inf", 19, "finite"}, Bad{"high = 1", "high = inf", 19, "finite"},
                    Bad{"high = 1", "high = nan", 19, "finite"}, Bad{"high = 1", "high = 70000", 19, "fp16"},
                    Bad{"tolerance = 0.5", "tolerance = inf", 25, "'tolerance'"},
                    Bad{"output = true", "init = { random = { low = 0, high = 1e39 } }", 24, "fp32"},
                    Bad{"dtype = \"fp32\"\nshape = [\"N\"]\noutput = true\ntolerance = 0.5",
                        "dtype = \"int8\"\nshape = [\"N\"]\ninit = { random = { low = 0, high = 200 } }", 24, "int8"},
                    Bad{"dtype = \"fp32\"\nshape = [\"N\"]\noutput = true\ntolerance = 0.5",
                        "dtype = \"uint8\"\nshape = [\"N\"]\ninit = { random = { low = -1 } }", 24, "uint8"},
                    Bad{"dtype = \"fp32\"\nshape = [\"N\"]\noutput = true\ntolerance = 0.5",
                        "dtype = \"int32\"\nshape = [\"N\"]\ninit = { random = { high = 1.5 } }", 24, "whole"},
                    Bad{"dtype = \"fp32\"\nshape = [\"N\"]\noutput = true\ntolerance = 0.5",
                        "dtype = \"int64\"\nshape = [\"N\"]\ninit = { random = { high = 1e18 } }", 24, "int64"},
                    Bad{"dtype = \"fp32\"\nshape = [\"N\"]\noutput = true\ntolerance = 0.5",
                        "dtype = \"int8\"\nshape = [\"N\"]\ninit = \"iota\"", 20, "counts up to 999"}));
INSTANTIATE_TEST_SUITE_P(
    Structs, BadCase,
    testing::Values(
        Bad{"dtype = \"int32\"\nvalue = \"N\"", "fields = 3", 28, "'fields'"},
        Bad{"dtype = \"int32\"\nvalue = \"N\"", "fields = []", 28, "'fields'"},
        Bad{"dtype = \"int32\"\nvalue = \"N\"", "fields = [1]", 28, "'fields'"},
        Bad{"value = \"N\"", "fields = [{ name = \"a\", dtype = \"int32\", value = 1 }]", 28, "'dtype'"},
        Bad{"dtype = \"int32\"\nvalue = \"N\"", "fields = [{ name = \"a\", value = 1 }]", 28, "'dtype'"},
        Bad{"dtype = \"int32\"\nvalue = \"N\"", "fields = [{ name = \"a\", dtype = \"int32\" }]", 28, "'value'"},
        Bad{"dtype = \"int32\"\nvalue = \"N\"", "fields = [{ name = \"a\", dtype = \"int8\", value = \"N\" }]", 28,
            "'n.a' is 1000"},
        Bad{"value = \"N\"", "value = 1\nfields = [{ name = \"a\", dtype = \"int8\", value = 1 }]", 26, "either"}));
INSTANTIATE_TEST_SUITE_P(Contradictory, BadCase,
                         testing::Values(Bad{"value = \"N\"", "value = \"N\"\nshape = [1]", 26, "'n'"},
                                         Bad{"value = \"N\"", "value = \"N\"\noutput = true", 30, "'output'"}));
INSTANTIATE_TEST_SUITE_P(Syntax, BadCase,
                         testing::Values(Bad{"kernel = \"gemm\"", "kernel = ", 2, ""},
                                         Bad{"[launch]", "[launch", 5, ""},
                                         Bad{"kernel = \"gemm\"", "kernel = \"gemm\nx", 2, ""}));

TEST(Case, SlipsAreRecognised) {
  EXPECT_THAT(parse_case(replaced("tolerance", "tolerence"), kFile).error().advice, HasSubstr("'tolerance'?"));
  EXPECT_THAT(parse_case(replaced("\"fp16\"", "\"f16\""), kFile).error().advice, HasSubstr("'fp16'?"));
  EXPECT_THAT(parse_case(replaced("default = \"big\"", "default = \"bgi\""), kFile).error().advice,
              HasSubstr("'big'?"));
  EXPECT_THAT(parse_case(kCase, kFile)->instance("smal").error().advice, HasSubstr("did you mean 'small'?"));
}

TEST(Case, FloatingScalarsMayBeInfiniteOrNan) {
  const auto instance = [](const char* value) {
    return parse_case(replaced("value = 0.5", std::string("value = ") + value), kFile)->instance("big").value();
  };
  EXPECT_TRUE(std::isinf(instance("-inf").arguments[3].real));
  EXPECT_TRUE(std::isnan(instance("nan").arguments[3].real));
}

TEST(Case, StructsArePackedAsTheyLieInMemory) {
  const std::string fields =
      "fields = [{ name = \"a\", dtype = \"int8\", value = 1 }, { name = \"b\", dtype = \"fp64\", value = 0.5 }, "
      "{ name = \"c\", dtype = \"int32\", value = \"N\" }, { name = \"d\", dtype = \"bf16\", value = 1.0 }]";
  const auto instance =
      parse_case(replaced("dtype = \"int32\"\nvalue = \"N\"", fields), kFile)->instance("big").value();
  struct Expected {
    int8_t a = 1;
    double b = 0.5;
    int32_t c = 1000;
    uint16_t d = 0x3F80;
  } expected;
  const std::string& bytes = instance.arguments[2].bytes;
  ASSERT_EQ(bytes.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(bytes.data() + offsetof(Expected, a), &expected.a, sizeof expected.a), 0);
  EXPECT_EQ(std::memcmp(bytes.data() + offsetof(Expected, b), &expected.b, sizeof expected.b), 0);
  EXPECT_EQ(std::memcmp(bytes.data() + offsetof(Expected, c), &expected.c, sizeof expected.c), 0);
  EXPECT_EQ(std::memcmp(bytes.data() + offsetof(Expected, d), &expected.d, sizeof expected.d), 0);
}

TEST(Case, IntegerTypesHoldWhatTheirWidthSays) {
  EXPECT_EQ(smallest_integer(DType::kI8), -128);
  EXPECT_EQ(largest_integer(DType::kU8), 255);
  EXPECT_EQ(largest_integer(DType::kI32), INT32_MAX);
  EXPECT_EQ(smallest_integer(DType::kI64), INT64_MIN);
  EXPECT_EQ(largest_integer(DType::kI64), INT64_MAX);
  EXPECT_EQ(largest_integer(DType::kU64), INT64_MAX);
  EXPECT_EQ(largest_integer(DType::kU32), int64_t{UINT32_MAX});
}

TEST(Case, AMissingFileAndAFolderAreUserErrors) {
  for (const fs::path& path : {fs::path("/no/such/case.toml"), fs::path(SWIZZLEPERF_SOURCE_DIR)}) {
    const auto the_case = load_case(path);
    ASSERT_FALSE(the_case);
    EXPECT_EQ(the_case.error().blame, Blame::kUser);
  }
}

}  // namespace
}  // namespace swizzleperf

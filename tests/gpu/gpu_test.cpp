#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "gpu/gpu_spec.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;

const std::string kGpu = R"(name = "X"
vendor = "amd"
arch = "gfx942"
domains = 2
cus_per_domain = 4
dispatch = "round_robin"
clock_hz = 1e9
[compute_unit]
wave_lanes = 64
max_waves = 32
[l2]
bytes = 1048576
line_bytes = 128
channels = { value = 16, source = "a document", derived = "4 x 4" }
load_request_bytes = 128
store_request_bytes = 64
[matrix_flops]
fp16 = 1e12
)";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kGpu;
  const size_t at = text.find(from);
  if (at == std::string::npos) return {};
  return text.replace(at, from.size(), to);
}

TEST(Gpu, EveryShippedFileLoadsByNameAndEveryFigureHasASource) {
  const std::vector<std::string> names = known_gpus();
  EXPECT_GE(names.size(), 11U);
  for (const auto& name : names) {
    const auto gpu = load_gpu(name);
    ASSERT_TRUE(gpu) << describe(gpu.error());
    EXPECT_EQ(gpu->name, name);
    for (const auto& figure : gpu->provenance) {
      if (figure.key == "name" || figure.key == "vendor") continue;
      EXPECT_FALSE(figure.source.empty()) << name << ": " << figure.key;
    }
  }
}

TEST(Gpu, NamesAreFoundInAnyCase) {
  EXPECT_EQ(load_gpu("mi300x").value().domains, 8);
  EXPECT_EQ(load_gpu("Mi300X").value().cus_per_domain, 38);
}

TEST(Gpu, AnUnknownNameListsTheKnownOnes) {
  const auto gpu = load_gpu("mi9000");
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().blame, Blame::kUser);
  EXPECT_THAT(gpu.error().advice, HasSubstr("MI300X"));
}

TEST(Gpu, ASlipIsRecognised) {
  EXPECT_THAT(load_gpu("mi300").error().advice, HasSubstr("did you mean 'MI300"));
  EXPECT_THAT(parse_gpu(replaced("max_waves", "max_wave"), "x.toml").error().advice,
              HasSubstr("did you mean 'max_waves'?"));
}

TEST(Gpu, AUsersOwnFileWorksByItsPath) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "mine.toml";
  ASSERT_TRUE(write_file_atomic(file, kGpu));
  const auto gpu = load_gpu(file.string());
  ASSERT_TRUE(gpu) << describe(gpu.error());
  EXPECT_EQ(gpu->name, "X");
  EXPECT_EQ(gpu->l2.channels, 16);
  EXPECT_EQ(gpu->peak_flops.at("fp16"), 1e12);
  const auto absent = load_gpu((folder->path() / "absent.toml").string());
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().blame, Blame::kUser);
}

TEST(Gpu, AFigureTellsItsValueSourceAndDerivation) {
  const auto gpu = parse_gpu(kGpu, "x.toml").value();
  const auto figure = std::find_if(gpu.provenance.begin(), gpu.provenance.end(),
                                   [](const Provenance& p) { return p.key == "l2.channels"; });
  ASSERT_NE(figure, gpu.provenance.end());
  EXPECT_EQ(figure->value, "16");
  EXPECT_TRUE(figure->derived);
  EXPECT_THAT(figure->source, HasSubstr("4 x 4"));
  EXPECT_THAT(figure->source, HasSubstr("a document"));
}

struct Bad {
  const char* from;
  const char* to;
  int line;  // 0: what is missing or contradictory has no line of its own
  const char* says;
};

class BadGpu : public testing::TestWithParam<Bad> {};

TEST_P(BadGpu, NamesFileLineAndField) {
  const Bad& bad = GetParam();
  const std::string text = replaced(bad.from, bad.to);
  ASSERT_FALSE(text.empty()) << bad.from;
  const auto gpu = parse_gpu(text, "x.toml");
  ASSERT_FALSE(gpu) << bad.to;
  EXPECT_EQ(gpu.error().blame, Blame::kUser);
  EXPECT_EQ(gpu.error().place.file, "x.toml");
  EXPECT_EQ(gpu.error().place.line, bad.line) << describe(gpu.error());
  EXPECT_THAT(gpu.error().message, HasSubstr(bad.says));
}

INSTANTIATE_TEST_SUITE_P(Missing, BadGpu,
                         testing::Values(Bad{"domains = 2\n", "", 0, "'domains'"},
                                         Bad{"bytes = 1048576\n", "", 0, "'l2.bytes'"},
                                         Bad{"wave_lanes = 64\n", "", 0, "'compute_unit.wave_lanes'"},
                                         Bad{"name = \"X\"\n", "", 0, "'name'"},
                                         Bad{"value = 16, ", "", 14, "'l2.channels'"}));
INSTANTIATE_TEST_SUITE_P(Unknown, BadGpu,
                         testing::Values(Bad{"domains = 2", "domains = 2\nxcds = 2", 5, "'xcds'"},
                                         Bad{"max_waves = 32", "max_waves = 32\nwaves = 1", 11, "'waves'"},
                                         Bad{"[matrix_flops]", "[l3]\nbytes = 1\n[matrix_flops]", 17, "'l3'"},
                                         Bad{"source =", "origin =", 14, "'origin'"}));
INSTANTIATE_TEST_SUITE_P(WrongType, BadGpu,
                         testing::Values(Bad{"domains = 2", "domains = \"two\"", 4, "'domains'"},
                                         Bad{"domains = 2", "domains = 2.5", 4, "'domains'"},
                                         Bad{"name = \"X\"", "name = 1", 1, "'name'"},
                                         Bad{"clock_hz = 1e9", "clock_hz = true", 7, "'clock_hz'"},
                                         Bad{"channels = {", "pair_merge = 1\nchannels = {", 14, "'l2.pair_merge'"},
                                         Bad{"fp16 = 1e12", "fp16 = \"fast\"", 18, "'matrix_flops.fp16'"},
                                         Bad{"clock_hz = 1e9", "llc = 3", 7, "'llc'"}));
INSTANTIATE_TEST_SUITE_P(
    OutOfRange, BadGpu,
    testing::Values(Bad{"domains = 2", "domains = 0", 4, "'domains'"},
                    Bad{"domains = 2", "domains = -8", 4, "'domains'"},
                    Bad{"domains = 2", "domains = 9223372036854775807", 4, "'domains'"},
                    Bad{"clock_hz = 1e9", "clock_hz = -1.0", 7, "'clock_hz'"},
                    Bad{"clock_hz = 1e9", "clock_hz = inf", 7, "'clock_hz'"},
                    Bad{"clock_hz = 1e9", "clock_hz = nan", 7, "'clock_hz'"},
                    Bad{"vendor = \"amd\"", "vendor = \"other\"", 2, "'vendor'"},
                    Bad{"round_robin", "random", 6, "'dispatch'"},
                    Bad{"wave_lanes = 64", "wave_lanes = 48", 9, "'compute_unit.wave_lanes' is 48"},
                    Bad{"line_bytes = 128", "line_bytes = 96", 13, "'l2.line_bytes'"},
                    Bad{"load_request_bytes = 128", "load_request_bytes = 48", 15, "'l2.load_request_bytes' is 48"},
                    Bad{"bytes = 1048576", "bytes = 1024", 12, "'l2.bytes'"},
                    Bad{"channels = {", "partitions = 3\nchannels = {", 14, "'l2.partitions'"}));
// Figures that no machine has: each would let the model divide by zero or count nonsense.
INSTANTIATE_TEST_SUITE_P(
    Nonsense, BadGpu,
    testing::Values(
        Bad{"name = \"X\"", "name = \"\"", 1, "'name'"}, Bad{"\"gfx942\"", "\"\"", 3, "'arch'"},
        Bad{"cus_per_domain = 4", "cus_per_domain = 70000", 5, "'cus_per_domain'"},
        Bad{"clock_hz = 1e9", "clock_hz = 2.1", 7, "'clock_hz' is 2.1"},
        Bad{"max_waves = 32", "max_waves = 100000", 10, "'compute_unit.max_waves'"},
        Bad{"max_waves = 32", "max_waves = 32\nmax_workgroups = 5000", 11, "'compute_unit.max_workgroups'"},
        Bad{"max_waves = 32", "max_waves = 32\nspeed_spread = 0.7", 11, "'compute_unit.speed_spread'"},
        Bad{"max_waves = 32", "max_waves = 32\nregisters = 99999999999", 11, "'compute_unit.registers'"},
        Bad{"[l2]", "[l1]\nbytes = 32768\nline_bytes = 0\n[l2]", 13, "'l1.line_bytes' is 0"},
        Bad{"[l2]", "[l1]\nline_bytes = 0\n[l2]", 12, "'l1.line_bytes' is 0"},
        Bad{"[l2]", "[l1]\nbytes = 32768\nline_bytes = 100\n[l2]", 13, "'l1.line_bytes' is 100"},
        Bad{"[l2]", "[l1]\nbytes = 64\nline_bytes = 128\n[l2]", 12, "'l1.bytes' is 64"},
        Bad{"[l2]", "[llc]\nbytes = 1048576\nline_bytes = 0\n[l2]", 13, "'llc.line_bytes' is 0"},
        Bad{"[l2]", "[llc]\nbytes = 1\n[l2]", 12, "'llc.bytes' is 1"},
        Bad{"line_bytes = 128", "line_bytes = 1048576", 13, "'l2.line_bytes'"},
        Bad{"channels = {", "ways = 100000\nchannels = {", 14, "'l2.ways'"},
        Bad{"value = 16", "value = 0", 14, "'l2.channels' is 0"},
        Bad{"channels = {", "channel_interleave_bytes = 200\nchannels = {", 14, "'l2.channel_interleave_bytes' is 200"},
        Bad{"channels = {", "channel_interleave_bytes = 0\nchannels = {", 14, "'l2.channel_interleave_bytes' is 0"},
        Bad{"store_request_bytes = 64", "store_request_bytes = 256", 16, "'l2.store_request_bytes'"},
        Bad{"[matrix_flops]", "[partitions]\ncpx = 3\n[matrix_flops]", 18, "'partitions.cpx' is 3"}));
INSTANTIATE_TEST_SUITE_P(Syntax, BadGpu,
                         testing::Values(Bad{"domains = 2", "domains =", 4, ""}, Bad{"[l2]", "[l2", 11, ""},
                                         Bad{"domains = 2", "domains = 2\ndomains = 3", 5, "domains"},
                                         Bad{"dispatch = \"round_robin\"", "dispatch = \"round_robin", 6, ""}));

TEST(Gpu, EmptyTextAndBytesThatAreNoTextAreRefused) {
  EXPECT_FALSE(parse_gpu("", "x.toml"));
  EXPECT_FALSE(parse_gpu(std::string("\0\xFF\xFE", 3), "x.toml"));
}

}  // namespace
}  // namespace swizzleperf

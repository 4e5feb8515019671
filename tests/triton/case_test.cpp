// The fields that only the cases of Triton kernels have.
#include <gmock/gmock.h>

#include "tests/triton/samples.h"

namespace swizzleperf {
namespace {

using testing::HasSubstr;

std::string message(const std::string& text) {
  const auto the_case = parse_case(text, std::string(SWIZZLEPERF_SOURCE_DIR) + "/t.toml");
  if (!the_case) return describe(the_case.error());
  const auto instance = the_case->instance("main");
  return instance ? "" : describe(instance.error());
}

std::string with(const std::string& ir, const std::string& launch, const std::string& more = "") {
  return fmt::format("kernel = \"copy\"\n{}\n[launch]\ngrid = [3]\n{}\n[variants]\nmain = {{ N = 600 }}\n{}", ir,
                     launch, more);
}

TEST(TritonCase, FiguresOfACompilerAreReadByArchitecture) {
  const std::string ir = fmt::format("ir = {{ main = \"{}\" }}", sample("copy"));
  const auto the_case =
      parse_case(with(ir, "warps = 8", "[compiled.sm_90]\nshared = 1024\nregisters = 40\nwarps = 4\n"),
                 std::string(SWIZZLEPERF_SOURCE_DIR) + "/t.toml");
  ASSERT_TRUE(the_case) << describe(the_case.error());
  EXPECT_TRUE(the_case->triton());
  const auto instance = the_case->instance("main");
  ASSERT_TRUE(instance) << describe(instance.error());
  EXPECT_EQ(instance->warps, 8);
  const CompiledFigures& figures = instance->compiled.at("sm_90");
  EXPECT_EQ(figures.warps, 4);
  EXPECT_EQ(figures.shared_bytes, 1024);
  EXPECT_EQ(figures.registers, 40);
}

TEST(TritonCase, MistakesAreReportedWithTheirField) {
  const std::string ir = fmt::format("ir = \"{}\"", sample("copy"));
  EXPECT_THAT(message(with("ir = \"nowhere.ttir\"", "warps = 4")), HasSubstr("does not exist"));
  EXPECT_THAT(message(with("ir = 3", "warps = 4")), HasSubstr("'ir' must be a file"));
  EXPECT_THAT(message(with("ir = { other = \"x\" }", "warps = 4")), HasSubstr("no file for the variant 'main'"));
  EXPECT_THAT(message(with(ir, "block = [256]")), HasSubstr("'block'"));
  EXPECT_THAT(message(with(ir, "")), HasSubstr("'warps'"));
  EXPECT_THAT(message(with(ir, "warps = 64")), HasSubstr("'warps' is 64: it must be from 1 to 32"));
  EXPECT_THAT(message(with(ir, "warps = 4", "[compiled.sm_90]\nlds = 3\n")), HasSubstr("[compiled.sm_90]"));
  EXPECT_THAT(message(with(ir + "\ndialect = \"hip\"", "warps = 4")), HasSubstr("a Triton case"));
  EXPECT_THAT(message(with("source = \"CMakeLists.txt\"\ndialect = \"triton\"", "block = [64]")), HasSubstr("ir ="));
}

}  // namespace
}  // namespace swizzleperf

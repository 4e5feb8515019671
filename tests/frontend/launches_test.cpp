// Launches are blanked, alignas of shared arrays comes first, and nothing else changes.
#include "frontend/clike/launches.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/clike/alignas.h"

namespace swizzleperf {
namespace {

TEST(Launches, BecomeBlanksOfTheSameLength) {
  EXPECT_EQ(blank_launches("k<<<1, 2>>>(a);"), "k          (a);");
  EXPECT_EQ(blank_launches("k<float>\n<<<dim3(1,\n2), f(3)>>>(a);"),
            "k<float>\n" + std::string(10, ' ') + "\n" + std::string(11, ' ') + "(a);");
}

TEST(Launches, MayHoldShiftsAndTemplates) {
  EXPECT_EQ(blank_launches("k<<<n >> 3, std::max<int>(1, 2)>>>(a); b<<<1,1>>>(c);").find('<'), std::string::npos);
}

TEST(Launches, AreNotSeenInCommentsAndLiterals) {
  for (const std::string text :
       {"// k<<<1, 1>>>(a)\n", "/* k<<<1, 1>>>(a) */", "f(\"<<<1>>>\");", "f(R\"x(<<<\")\">>>)x\");",
        "c = '<'; d = \"\\\"<<<>>>\";", "int a = 1'000 << 3;", "v<w<x<int>>> y;"})
    EXPECT_EQ(blank_launches(text), text);
}

TEST(Launches, AnOpenOneEndsWithItsStatement) {
  const std::string text = "a <<< b; c >>> d; }";
  EXPECT_EQ(blank_launches(text), text);
  EXPECT_TRUE(find_launches(text).empty());
}

TEST(Launches, AreFoundWhereTheyBegin) {
  EXPECT_EQ(find_launches("k<<<1, 1>>>(); j<<<2, 2>>>();"), (std::vector<size_t>{1, 16}));
}

TEST(Alignas, ComesBeforeTheStorageOfSharedArrays) {
  EXPECT_EQ(alignas_first("__shared__ alignas(16) float s[4];"), "alignas(16)__shared__  float s[4];");
  EXPECT_EQ(alignas_first("{extern __shared__ alignas(f(1)) char m[];"), "{alignas(f(1))extern __shared__  char m[];");
  for (const std::string text :
       {"alignas(16) __shared__ float s;", "struct alignas(8) S {};", "static alignas(8) int i;",
        "__shared__ float s; alignas(4) int t;", "// __shared__ alignas(16) x\n", "__shared__ alignas"})
    EXPECT_EQ(alignas_first(text), text);
}

}  // namespace
}  // namespace swizzleperf

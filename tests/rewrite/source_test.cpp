// Which kernels a file has, and which one a case means.
#include "frontend/clike/source.h"

#include <gmock/gmock.h>

#include "tests/rewrite/rewriting.h"

namespace swizzleperf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Source = Rewriting;

constexpr const char* kMany =
    "#include <hip/hip_runtime.h>\n"
    "struct Pair { int a, b; };\n"
    "namespace one { __global__ void k(float* a) { a[blockIdx.x] = 1; } }\n"
    "namespace two { namespace deep { __global__ void k(const int* a, Pair p) {} } }\n"
    "namespace { __global__ void hidden(int n) {} }\n"
    "template <class T, int N> __global__ void t(T* a) { a[N] = 1; }\n"
    "template <> __global__ void t<double, 3>(double* a) { a[blockIdx.x] = 3; }\n"
    "template __global__ void t<float, 1>(float*);\n"
    "template __global__ void t<float, 2>(float*);\n"
    "__global__ void declared_only(float* a);\n"
    "__device__ void helper(float* a) {}\n"
    "__global__ void plain(float* __restrict__ a, unsigned long long n) {}\n";

TEST_F(Source, ListKernelsNamesEveryDefinition) {
  write("k.hip", kMany);
  const auto kernels = list_kernels(case_.source, Dialect::kHip);
  ASSERT_TRUE(kernels) << describe(kernels.error());
  std::vector<std::string> names;
  std::vector<int> lines;
  for (const auto& kernel : *kernels) {
    names.push_back(kernel.name);
    lines.push_back(kernel.line);
  }
  EXPECT_THAT(names, ElementsAre("one::k", "two::deep::k", "hidden", "t", "t", "plain"));
  EXPECT_THAT(lines, ElementsAre(3, 4, 5, 6, 7, 12));
  EXPECT_EQ(kernels->at(1).parameters.at(0).type, "const int *");
  EXPECT_TRUE(kernels->at(1).parameters.at(0).constant);
  EXPECT_EQ(kernels->at(1).parameters.at(1).type, "Pair");
  EXPECT_FALSE(kernels->at(5).parameters.at(0).constant);
  EXPECT_EQ(kernels->at(5).parameters.at(1).type, "unsigned long long");
}

TEST_F(Source, ACaseNamesAKernelByAnySuffixOfItsQualifiedName) {
  for (const auto& [wanted, line] : std::vector<std::pair<std::string, int>>{{"one::k", 3},
                                                                             {"::one::k", 3},
                                                                             {"deep::k", 4},
                                                                             {"two::deep::k", 4},
                                                                             {"hidden", 5},
                                                                             {"t<float, 1>", 6},
                                                                             {"t<float,2>", 6},
                                                                             {"t<double, 3>", 7},
                                                                             {"plain", 12}}) {
    case_.kernel = wanted;
    const auto info = analyse(kMany);
    ASSERT_TRUE(info) << wanted << describe(info.error());
    EXPECT_EQ(info->definition.line, line) << wanted;
    EXPECT_EQ(info->source[info->body.begin], '{');
  }
}

TEST_F(Source, AmbiguousAndUnknownNamesListTheKernels) {
  case_.kernel = "k";
  EXPECT_THAT(describe(analyse(kMany).error()), HasSubstr("ambiguous"));
  case_.kernel = "plane";
  EXPECT_THAT(describe(analyse(kMany).error()), HasSubstr("did you mean 'plain'?"));
  case_.kernel = "helper";
  EXPECT_THAT(describe(analyse(kMany).error()), HasSubstr("one::k, two::deep::k"));
  case_.kernel = "declared_only";
  EXPECT_FALSE(analyse(kMany));
}

TEST_F(Source, AKernelInAnIncludedHeaderNamesTheFileToUse) {
  write("kernel.h", "__global__ void k(float* a) { a[blockIdx.x] = 1; }\n");
  const auto info = analyse("#include \"kernel.h\"\n");
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().blame, Blame::kUnsupported);
  EXPECT_THAT(describe(info.error()), HasSubstr("kernel.h as the case's source"));
  case_.source = folder_.path() / "kernel.h";
  EXPECT_TRUE(rewrite("__global__ void k(float* a) { a[blockIdx.x] = 1; }\n"));
}

TEST_F(Source, TheCasesDefinesAndIncludeFoldersCount) {
  std::filesystem::create_directories(folder_.path() / "inc");
  write("inc/part.h", "#define WIDTH 4\n");
  case_.include_folders = {folder_.path() / "inc"};
  case_.defines = {"NAME=k"};
  EXPECT_TRUE(analyse("#include <part.h>\n__global__ void NAME(float* a) { a[WIDTH] = 1; }\n"));
  case_.defines = {"NAME=other"};
  EXPECT_FALSE(analyse("#include <part.h>\n__global__ void NAME(float* a) { a[WIDTH] = 1; }\n"));
}

}  // namespace
}  // namespace swizzleperf

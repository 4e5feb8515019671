// The case's arguments against the kernel's parameters.
#include "frontend/clike/types.h"

#include <gmock/gmock.h>

#include "tests/rewrite/rewriting.h"

namespace swizzleperf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Types, SpellingsOfClang) {
  const auto expect = [](const std::string& type, DType dtype, int lanes) {
    const auto element = element_type_of(type);
    ASSERT_TRUE(element) << type;
    EXPECT_EQ(element->dtype, dtype) << type;
    EXPECT_EQ(element->lanes, lanes) << type;
  };
  expect("const float *__restrict", DType::kF32, 1);
  expect("float *const", DType::kF32, 1);
  expect("unsigned long long", DType::kU64, 1);
  expect("const __half *", DType::kF16, 1);
  expect("__nv_bfloat16 *", DType::kBf16, 1);
  expect("volatile int *", DType::kI32, 1);
  expect("bool", DType::kU8, 1);
  expect("float4 *", DType::kF32, 4);
  expect("const uchar4 *", DType::kU8, 4);
  expect("char2", DType::kI8, 2);
  expect("longlong2 *", DType::kI64, 2);
  expect("ulonglong2 *", DType::kU64, 2);
  expect("__half2 *", DType::kF16, 2);
  expect("HIP_vector_type<float, 4> *", DType::kF32, 4);
  for (const char* type : {"void *", "float **", "Pair", "Pair *", "", "4", "HIP_vector_type<", "vector_type<float, "})
    EXPECT_FALSE(element_type_of(type)) << type;
}

TEST(Types, TemplateArgumentsReplaceTheirParameters) {
  EXPECT_THAT(template_arguments("f<float, std::array<int, 4>>"), ElementsAre("float", "std::array<int, 4>"));
  EXPECT_TRUE(template_arguments("f").empty());
  EXPECT_EQ(instantiated_type("const type-parameter-0-1 *", {"int", "float"}), "const float *");
  EXPECT_EQ(instantiated_type("type-parameter-0-2", {"int"}), "T2");
}

class Arguments : public Rewriting {
 protected:
  // The refusal of these arguments for a kernel with such parameters; empty where they fit.
  std::string refusal(const std::string& parameters, const std::string& arguments, const std::string& name = "k",
                      const std::string& before = "") {
    const std::string source =
        "struct Pair { int a; double b; };\n" + before + "__global__ void k(" + parameters + ") {}\n";
    EXPECT_TRUE(write_file_atomic(folder_.path() / "k.hip", source));
    const std::string text = "source = \"k.hip\"\nkernel = \"" + name +
                             "\"\n[launch]\ngrid = [1]\nblock = [1]\n[variants.main]\nN = 4\n" + arguments;
    const auto the_case = parse_case(text, folder_.path() / "case.toml");
    if (!the_case) throw std::runtime_error(describe(the_case.error()));
    const auto info = analyse_source(*the_case);
    if (!info) throw std::runtime_error(describe(info.error()));
    const auto status = check_arguments(*the_case, *info);
    return status ? std::string() : describe(status.error());
  }
  static std::string buffer(const std::string& dtype) {
    return "[[args]]\nname = \"b\"\ndtype = \"" + dtype + "\"\nshape = [\"N\"]\n";
  }
  static std::string scalar(const std::string& dtype) {
    return "[[args]]\nname = \"s\"\ndtype = \"" + dtype + "\"\nvalue = 1\n";
  }
  static std::string pair() {
    return "[[args]]\nname = \"p\"\nfields = [{ name = \"a\", dtype = \"int32\", value = 1 }, { name = \"b\", dtype = "
           "\"fp64\", value = 2 }]\n";
  }
};

TEST_F(Arguments, AMismatchNamesBothSidesAndTheLine) {
  const std::string error = refusal("const float* weights", buffer("fp16"));
  EXPECT_THAT(error, HasSubstr("case.toml:8"));
  EXPECT_THAT(error, HasSubstr("argument mismatch"));
  EXPECT_THAT(error, HasSubstr("'weights' is `const float *`"));
  EXPECT_THAT(error, HasSubstr("'b' is a buffer of fp16"));
}

TEST_F(Arguments, TheWrongKindOrTypeIsRefused) {
  EXPECT_THAT(refusal("float* a", scalar("fp32")), HasSubstr("a scalar of fp32"));
  EXPECT_THAT(refusal("float a", buffer("fp32")), HasSubstr("a buffer"));
  EXPECT_THAT(refusal("int a", scalar("int64")), HasSubstr("int64"));
  EXPECT_THAT(refusal("float a", scalar("int32")), HasSubstr("int32"));
  EXPECT_THAT(refusal("double* a", buffer("fp32")), HasSubstr("fp32"));
  EXPECT_THAT(refusal("__half* a", buffer("bf16")), HasSubstr("bf16"));
  EXPECT_THAT(refusal("short* a", buffer("fp32")), HasSubstr("fp32"));
  EXPECT_THAT(refusal("float4* a", buffer("fp64")), HasSubstr("fp64"));
  EXPECT_THAT(refusal("int a", pair()), HasSubstr("a struct"));
  EXPECT_THAT(refusal("float* a", pair()), HasSubstr("a struct"));
  EXPECT_THAT(refusal("float* a, int n", buffer("fp32")), HasSubstr("takes 2 arguments, the case has 1"));
  EXPECT_THAT(refusal("float* a, int n", buffer("fp32")), HasSubstr("float * a, int n"));
  EXPECT_THAT(refusal("T* a", buffer("fp16"), "k<float>", "template <class T> "), HasSubstr("float"));
}

TEST_F(Arguments, WhatFitsPasses) {
  EXPECT_EQ(refusal("const float* __restrict__ a, int n", buffer("fp32") + scalar("int32")), "");
  EXPECT_EQ(refusal("float4* a, unsigned n", buffer("fp32") + scalar("int32")), "");
  EXPECT_EQ(refusal("void* a, Pair* p", buffer("bf16") + buffer("int8")), "");
  EXPECT_EQ(refusal("unsigned short* a, int4* b", buffer("bf16") + buffer("fp16")), "");
  EXPECT_EQ(refusal("Pair p, bool b", pair() + scalar("uint8")), "");
  EXPECT_EQ(refusal("T* a", buffer("fp16"), "k<__half>", "template <class T> "), "");
  EXPECT_EQ(refusal("T* a", buffer("fp16"), "k<>", "template <class T = __half> "), "");
}

TEST(Examples, TheirArgumentsFitTheirKernels) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(SWIZZLEPERF_SOURCE_DIR) + "/examples")) {
    // Triton's cases have tests of their own.
    if (entry.path().extension() != ".toml" || entry.path().parent_path().filename() == "triton") continue;
    const auto the_case = load_case(entry.path());
    ASSERT_TRUE(the_case) << describe(the_case.error());
    if (the_case->declared != nullptr) continue;
    const auto info = analyse_source(*the_case);
    ASSERT_TRUE(info) << describe(info.error());
    const auto status = check_arguments(*the_case, *info);
    EXPECT_TRUE(status) << describe(status.error());
    ++count;
  }
  EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace swizzleperf

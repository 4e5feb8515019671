// What a case file calls the types of a kernel's parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/clike/source.h"
#include "workload/case.h"

namespace swizzleperf {

// A number type, or a vector of them: float4 is four fp32.
struct ElementType {
  DType dtype = DType::kF32;
  int lanes = 1;
};

// Of a value, or of what a pointer points to, as clang spells the canonical type: "const float *__restrict" is fp32.
// nullopt for structs, void, pointers to pointers and what is not known.
std::optional<ElementType> element_type_of(const std::string& type);

// The template arguments in "f<float, std::array<int, 4>>": "float", "std::array<int, 4>".
std::vector<std::string> template_arguments(const std::string& kernel);

// clang spells the type of a template's parameter "const type-parameter-0-1 *": puts the argument there, or "T1".
std::string instantiated_type(std::string type, const std::vector<std::string>& arguments);

// User error, with the place in the case, where the case's arguments are not what the kernel takes: another number of
// them, a scalar for a pointer, another element type. Types that are not known pass: the run compares their sizes.
// Integers of a size count as equal, and integer pointers may stand for raw data of any narrower type.
Expected<void> check_arguments(const Case& the_case, const KernelInfo& kernel);

}  // namespace swizzleperf

#include "frontend/clike/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swizzleperf {
namespace {

struct CType {
  const char* spelling;
  DType dtype;
};
constexpr std::array<CType, 35> kCTypes = {{{"float", DType::kF32},
                                            {"double", DType::kF64},
                                            {"half", DType::kF16},
                                            {"__half", DType::kF16},
                                            {"__half_raw", DType::kF16},
                                            {"_Float16", DType::kF16},
                                            {"__fp16", DType::kF16},
                                            {"__bf16", DType::kBf16},
                                            {"bfloat16", DType::kBf16},
                                            {"hip_bfloat16", DType::kBf16},
                                            {"__hip_bfloat16", DType::kBf16},
                                            {"__nv_bfloat16", DType::kBf16},
                                            {"char", DType::kI8},
                                            {"signed char", DType::kI8},
                                            {"int8_t", DType::kI8},
                                            {"bool", DType::kU8},
                                            {"unsigned char", DType::kU8},
                                            {"uint8_t", DType::kU8},
                                            {"short", DType::kI16},
                                            {"int16_t", DType::kI16},
                                            {"unsigned short", DType::kU16},
                                            {"uint16_t", DType::kU16},
                                            {"int", DType::kI32},
                                            {"int32_t", DType::kI32},
                                            {"unsigned", DType::kU32},
                                            {"unsigned int", DType::kU32},
                                            {"uint32_t", DType::kU32},
                                            {"long", DType::kI64},
                                            {"long long", DType::kI64},
                                            {"int64_t", DType::kI64},
                                            {"ptrdiff_t", DType::kI64},
                                            {"unsigned long", DType::kU64},
                                            {"unsigned long long", DType::kU64},
                                            {"uint64_t", DType::kU64},
                                            {"size_t", DType::kU64}}};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// "const float *__restrict" -> "float".
std::string element_type(const std::string& type) {
  std::string text = trimmed(type.substr(0, type.find_first_of("*&[")));
  for (const std::string word : {"const ", "volatile ", "struct "}) {
    if (text.rfind(word, 0) == 0) text = trimmed(text.substr(word.size()));
  }
  for (const std::string word : {" const", " volatile"}) {
    if (text.size() > word.size() && text.compare(text.size() - word.size(), word.size(), word) == 0)
      text = trimmed(text.substr(0, text.size() - word.size()));
  }
  return text;
}

std::optional<DType> number_type(const std::string& spelling) {
  const auto* found =
      std::find_if(kCTypes.begin(), kCTypes.end(), [&](const CType& c) { return spelling == c.spelling; });
  return found == kCTypes.end() ? std::nullopt : std::optional(found->dtype);
}

// float4, int2, uchar4, longlong2, __half2: "float", "int", "unsigned char", "long long", "__half".
std::string scalar_of_vector(const std::string& type) {
  std::string scalar = type.substr(0, type.size() - 1);
  if (scalar == "char") scalar = "signed char";
  if (scalar.size() > 1 && scalar.front() == 'u') scalar = "unsigned " + scalar.substr(1);
  if (const size_t at = scalar.find("longlong"); at != std::string::npos) scalar.insert(at + 4, " ");
  return scalar;
}

// May a buffer of the case's type be what the parameter points to?
bool fits_pointer(const ElementType& parameter, DType argument) {
  if (parameter.dtype == argument) return true;
  if (is_floating(parameter.dtype)) return false;
  const int64_t bytes = size_of(parameter.dtype) * parameter.lanes;
  return is_floating(argument) || size_of(parameter.dtype) != size_of(argument) ? bytes % size_of(argument) == 0 : true;
}

bool fits_value(const ElementType& parameter, DType argument) {
  if (parameter.dtype == argument) return true;
  return !is_floating(parameter.dtype) && !is_floating(argument) && size_of(parameter.dtype) == size_of(argument);
}

}  // namespace

std::optional<ElementType> element_type_of(const std::string& type) {
  if (std::count(type.begin(), type.end(), '*') > 1) return std::nullopt;
  const std::string element = element_type(type);
  if (const auto dtype = number_type(element)) return ElementType{*dtype, 1};
  const char last = element.empty() ? ' ' : element.back();
  if (last >= '1' && last <= '4') {
    if (const auto dtype = number_type(scalar_of_vector(element))) return ElementType{*dtype, last - '0'};
  }
  // HIP_vector_type<float, 4>
  const size_t open = element.find("vector_type<");
  const size_t comma = open == std::string::npos ? open : element.find(", ", open);
  if (comma == std::string::npos || comma + 2 >= element.size()) return std::nullopt;
  const auto dtype = number_type(element.substr(open + 12, comma - open - 12));
  const int lanes = element[comma + 2] - '0';
  if (!dtype || lanes < 1 || lanes > 4) return std::nullopt;
  return ElementType{*dtype, lanes};
}

std::vector<std::string> template_arguments(const std::string& kernel) {
  std::vector<std::string> list;
  const size_t open = kernel.find('<');
  if (open == std::string::npos) return list;
  int depth = 0;
  std::string current;
  for (const char c : kernel.substr(open + 1)) {
    if (depth == 0 && (c == ',' || c == '>')) {
      list.push_back(trimmed(current));
      current.clear();
      if (c == '>') break;
      continue;
    }
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    current += c;
  }
  return list;
}

std::string instantiated_type(std::string type, const std::vector<std::string>& arguments) {
  const std::string mark = "type-parameter-0-";
  const size_t at = type.find(mark);
  if (at == std::string::npos) return type;
  const size_t digits = at + mark.size();
  const size_t end = std::min(type.find_first_not_of("0123456789", digits), type.size());
  const std::string number = type.substr(digits, end - digits);
  const size_t index = number.empty() || number.size() > 4 ? arguments.size() : std::stoul(number);
  return type.replace(at, end - at, index < arguments.size() ? arguments[index] : "T" + number);
}

Expected<void> check_arguments(const Case& the_case, const KernelInfo& kernel) {
  const auto mismatch = [&](const ArgumentOutline& argument, const KernelParameter& parameter, const std::string& is) {
    return user_error(
        fmt::format("argument mismatch: the kernel's parameter '{}' is `{}`, the case's argument '{}' is {}",
                    parameter.name, parameter.type, argument.name, is),
        argument.place);
  };
  const std::string file = the_case.file.string();
  if (the_case.arguments.size() != kernel.parameters.size()) {
    std::string list;
    for (const KernelParameter& one : kernel.parameters)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", one.type, one.name);
    return user_error(fmt::format("argument mismatch: `{}` takes {} arguments, the case has {}", kernel.name,
                                  kernel.parameters.size(), the_case.arguments.size()),
                      {file}, "the kernel's parameters: " + list);
  }
  const std::vector<std::string> arguments = template_arguments(kernel.symbol_call);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    KernelParameter parameter = kernel.parameters[i];
    const ArgumentOutline& argument = the_case.arguments[i];
    const std::string general = parameter.type;
    parameter.type = instantiated_type(general, arguments);
    // Where the case leaves a template argument to its default, the parameter may turn out to be anything.
    if (parameter.type != general && instantiated_type(general, {}) == parameter.type) continue;
    const bool pointer = parameter.type.find('*') != std::string::npos;
    if (argument.structure) {
      if (pointer || element_type_of(parameter.type)) return mismatch(argument, parameter, "a struct");
      continue;
    }
    if (pointer != argument.buffer)
      return mismatch(argument, parameter, argument.buffer ? "a buffer" : "a scalar of " + to_string(argument.dtype));
    const auto element = element_type_of(parameter.type);
    if (!element) continue;
    const bool fits = pointer ? fits_pointer(*element, argument.dtype) : fits_value(*element, argument.dtype);
    if (!fits) return mismatch(argument, parameter, (pointer ? "a buffer of " : "") + to_string(argument.dtype));
  }
  return {};
}

}  // namespace swizzleperf

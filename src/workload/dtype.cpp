#include "workload/dtype.h"

#include <algorithm>
#include <array>
#include <cfloat>

namespace swizzleperf {
namespace {

struct DTypeName {
  const char* name;
  DType type;
  int64_t bytes;
};
constexpr std::array<DTypeName, 12> kDTypes = {{{"fp16", DType::kF16, 2},
                                                {"bf16", DType::kBf16, 2},
                                                {"fp32", DType::kF32, 4},
                                                {"fp64", DType::kF64, 8},
                                                {"int8", DType::kI8, 1},
                                                {"uint8", DType::kU8, 1},
                                                {"int16", DType::kI16, 2},
                                                {"uint16", DType::kU16, 2},
                                                {"int32", DType::kI32, 4},
                                                {"uint32", DType::kU32, 4},
                                                {"int64", DType::kI64, 8},
                                                {"uint64", DType::kU64, 8}}};

bool is_unsigned(DType type) {
  return type == DType::kU8 || type == DType::kU16 || type == DType::kU32 || type == DType::kU64;
}

}  // namespace

int64_t size_of(DType type) {
  return std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeName& d) { return d.type == type; })->bytes;
}

std::string to_string(DType type) {
  return std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeName& d) { return d.type == type; })->name;
}

std::optional<DType> dtype_named(const std::string& name) {
  const auto* found = std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeName& d) { return name == d.name; });
  return found == kDTypes.end() ? std::nullopt : std::optional(found->type);
}

std::string dtype_names() {
  std::string list;
  for (const DTypeName& d : kDTypes) list += (list.empty() ? "" : " ") + std::string(d.name);
  return list;
}

std::vector<std::string> dtype_list() {
  std::vector<std::string> list;
  for (const DTypeName& d : kDTypes) list.emplace_back(d.name);
  return list;
}

bool is_floating(DType type) {
  return type == DType::kF16 || type == DType::kBf16 || type == DType::kF32 || type == DType::kF64;
}

double largest_number(DType type) {
  switch (type) {
    case DType::kF16:
      return 65504;
    case DType::kBf16:
      return 0x1.FEp127;
    case DType::kF32:
      return FLT_MAX;
    default:
      return DBL_MAX;
  }
}

int64_t smallest_integer(DType type) {
  return is_unsigned(type) ? 0 : -largest_integer(type) - 1;
}

int64_t largest_integer(DType type) {
  const int64_t bits = 8 * size_of(type) - (is_unsigned(type) && size_of(type) < 8 ? 0 : 1);
  return static_cast<int64_t>((uint64_t{1} << bits) - 1);
}

}  // namespace swizzleperf

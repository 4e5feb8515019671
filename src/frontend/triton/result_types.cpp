// The types that an operation's text implies but does not spell out.
#include "frontend/triton/parser.h"

namespace swizzleperf::triton {
namespace {

Type truth_like(Type type) {
  type.element = Type::Element::kInteger;
  type.bits = 1;
  type.pointee = nullptr;
  return type;
}

// What a load of this pointer gives.
Type loaded(const Type& pointer) {
  if (!pointer.pointee) return {};
  if (pointer.pointee->tensor || !pointer.tensor) return *pointer.pointee;
  Type result = *pointer.pointee;
  result.tensor = true;
  result.shape = pointer.shape;
  return result;
}

// `<tensor<4x4xf16>>` stands for a pointer to, or a descriptor of, such blocks.
Type completed(Type type, Type::Element element) {
  if (type.element == Type::Element::kOther && type.pointee) type.element = element;
  return type;
}

Type scalar(int bits) {
  return {.element = Type::Element::kInteger, .bits = bits};
}

}  // namespace

std::vector<Type> result_types(const Operation& operation, const TypeList& types, const std::vector<Value>& values) {
  const std::string& name = operation.name;
  if (name == "tt.make_tensor_ptr" || name == "tt.advance" || name == "tt.make_tensor_descriptor") {
    const bool descriptor = name == "tt.make_tensor_descriptor";
    const auto& list = types.after.empty() ? types.before : types.after;
    if (list.empty()) return {};
    return {completed(list.back(), descriptor ? Type::Element::kDescriptor : Type::Element::kPointer)};
  }
  if (name == "tt.split" && types.after.size() == 1) return {types.after.front(), types.after.front()};
  if (types.arrow || !types.after.empty()) return types.after;
  const std::vector<Type>& given = types.before;
  if (name == "tt.get_program_id" || name == "tt.get_num_programs")
    return given.empty() ? std::vector{scalar(32)} : given;
  if (given.empty()) {
    // Types that are left out are those of the operands.
    return operation.operands.empty() ? std::vector<Type>()
                                      : std::vector{values[static_cast<size_t>(operation.operands.front())].type};
  }
  if (name == "arith.cmpi" || name == "arith.cmpf") return {truth_like(given.back())};
  if (name == "tt.load") return {loaded(given.front())};
  if (name == "tt.addptr") return {given.front()};
  if (name == "arith.addui_extended") return {given.back(), truth_like(given.back())};
  if (name == "arith.mulsi_extended" || name == "arith.mului_extended") return {given.back(), given.back()};
  return {given.back()};
}

}  // namespace swizzleperf::triton

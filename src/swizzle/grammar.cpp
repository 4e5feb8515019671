#include "swizzle/grammar.h"

#include <algorithm>
#include <map>

#include "swizzle/evaluate.h"

namespace swizzleperf::detail {

Input input_of(const std::string& name) {
  static const std::map<std::string, Input> kNames = {
      {"wg", Input::kWg},        {"wg_x", Input::kWgX},     {"wg_y", Input::kWgY},     {"wg_z", Input::kWgZ},
      {"grid_x", Input::kGridX}, {"grid_y", Input::kGridY}, {"grid_z", Input::kGridZ}, {"num_wgs", Input::kNumWgs}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? Input::kOutside : found->second;
}

bool is_reserved_input(const std::string& name) {
  return std::any_of(kInputs.begin(), kInputs.end(), [&](const char* input) { return name == input; }) ||
         name == "num_xcds" || name == "cus_per_xcd";
}

int precedence(const std::string& op) {
  if (op == "||") return 1;
  if (op == "&&") return 2;
  const auto* entry =
      std::find_if(kOperators.begin(), kOperators.end(), [&](const BinaryOperator& o) { return op == o.text; });
  return entry == kOperators.end() ? 0 : entry->precedence;
}

}  // namespace swizzleperf::detail

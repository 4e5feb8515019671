#include "workload/case_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace swizzleperf {

Expected<std::vector<Expression>> CaseFields::expressions(const toml::table& table, const char* key,
                                                          const std::string& where, size_t limit) const {
  const auto node = field(table, key, where, true);
  if (!node) return tl::unexpected(node.error());
  const toml::array* array = (*node)->as_array();
  if (array == nullptr || array->empty() || array->size() > limit) {
    return error(**node, fmt::format("'{}' must be a list of 1 to {} whole numbers or expressions", key, limit),
                 fmt::format("for example {} = [\"ceil_div(N, 128)\", 4]", key));
  }
  std::vector<Expression> list;
  for (const auto& item : *array) {
    auto value = expression(item, key);
    if (!value) return tl::unexpected(value.error());
    list.push_back(std::move(*value));
  }
  return list;
}

Expected<std::vector<std::string>> CaseFields::strings(const char* key) const {
  std::vector<std::string> list;
  const toml::node* node = root_.get(key);
  if (node == nullptr) return list;
  if (!node->is_array()) return error(*node, fmt::format("'{}' must be a list of strings", key));
  for (const auto& item : *node->as_array()) {
    if (!item.is_string()) return error(item, fmt::format("'{}' must be a list of strings", key));
    list.push_back(**item.as_string());
  }
  return list;
}

Expected<SizeTexts> CaseFields::sized(const toml::table& table, const std::string& where) const {
  // TOML tables are sorted by key: the order of the file is the order of the lines.
  std::vector<std::pair<std::string, Expression>> list;
  for (const auto& [key, node] : table) {
    auto value = expression(node, where + "." + std::string(key.str()));
    if (!value) return tl::unexpected(value.error());
    list.emplace_back(std::string(key.str()), std::move(*value));
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.place.line, a.second.place.column) <
           std::pair(b.second.place.line, b.second.place.column);
  });
  return list;
}

Expected<DType> CaseFields::dtype(const toml::table& table, const std::string& where) const {
  const auto name = string(table, "dtype", where, true);
  if (!name) return tl::unexpected(name.error());
  if (const auto known = dtype_named(*name)) return *known;
  return error(*table.get("dtype"), fmt::format("unknown dtype '{}'", *name), known_names(*name, dtype_list()));
}

}  // namespace swizzleperf

// What only the cases of Triton kernels have.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "workload/case_fields.h"

namespace swizzleperf {
namespace {

Expected<std::filesystem::path> ir_file(const CaseFields& fields, const toml::node& node) {
  const auto* text = node.as_string();
  if (text == nullptr) return fields.error(node, "'ir' must be a file, or a table of one file for each variant");
  const auto file = fields.beside(**text);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    return fields.error(node, fmt::format("the IR '{}' does not exist", file.string()));
  return file;
}

Expected<void> read_ir(const CaseFields& fields, Case& the_case) {
  const toml::node& node = *fields.root().get("ir");
  const toml::table* by_variant = node.as_table();
  for (const std::string& variant : the_case.variants) {
    const toml::node* own = by_variant == nullptr ? &node : by_variant->get(variant);
    if (own == nullptr) return fields.error(node, fmt::format("'ir' names no file for the variant '{}'", variant));
    auto file = ir_file(fields, *own);
    if (!file) return tl::unexpected(file.error());
    the_case.ir[variant] = std::move(*file);
  }
  if (by_variant == nullptr) return {};
  for (const auto& [key, value] : *by_variant) {
    const std::string name(key.str());
    if (the_case.ir.count(name) == 0)
      return fields.error(value, fmt::format("'ir.{}': the case has no variant '{}'", name, name),
                          known_names(name, the_case.variants));
  }
  return {};
}

}  // namespace

Expected<void> read_triton(const CaseFields& fields, Case& the_case, Case::Text& text) {
  if (auto status = read_ir(fields, the_case); !status) return status;
  const toml::node* node = fields.root().get("compiled");
  if (node == nullptr) return {};
  if (!node->is_table()) return fields.error(*node, "'compiled' must hold tables, such as [compiled.sm_90]");
  for (const auto& [key, value] : *node->as_table()) {
    const std::string where = fmt::format("[compiled.{}]", key.str());
    const toml::table* table = value.as_table();
    if (table == nullptr) return fields.error(value, where + " must be a table");
    if (auto status = only_keys(*table, {"warps", "shared", "registers"}, where, fields.file()); !status) return status;
    CompiledText& figures = text.compiled[std::string(key.str())];
    for (const auto& [name, to] : {std::pair("warps", &figures.warps), std::pair("shared", &figures.shared),
                                   std::pair("registers", &figures.registers)}) {
      auto figure = fields.optional_expression(*table, name);
      if (!figure) return tl::unexpected(figure.error());
      *to = std::move(*figure);
    }
  }
  return {};
}

}  // namespace swizzleperf

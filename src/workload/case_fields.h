// Reading the fields of a case file: the one place that knows how each kind of mistake is worded. Private to
// src/workload.
#pragma once

#include <fmt/format.h>

#include "base/toml.h"
#include "workload/case_text.h"

namespace swizzleperf {

using SizeTexts = std::vector<std::pair<std::string, Expression>>;

class CaseFields {
 public:
  CaseFields(const toml::table& root, std::string file) : root_(root), file_(std::move(file)) {}

  const toml::table& root() const { return root_; }
  const std::string& file() const { return file_; }

  tl::unexpected<Error> error(const toml::node& node, std::string message, std::string advice = {}) const {
    return user_error(std::move(message), place_of(node, file_), std::move(advice));
  }
  // The node of a field, or a user error where it must be there.
  Expected<const toml::node*> field(const toml::table& table, const char* key, const std::string& where,
                                    bool required) const {
    const toml::node* node = table.get(key);
    if (node == nullptr && required)
      return user_error(fmt::format("the field '{}' of {} is missing", key, where), place_of(table, file_));
    return node;
  }
  Expected<std::string> string(const toml::table& table, const char* key, const std::string& where, bool required,
                               std::string otherwise = {}) const {
    const auto node = field(table, key, where, required);
    if (!node) return tl::unexpected(node.error());
    if (*node == nullptr) return otherwise;
    if (!(*node)->is_string()) return error(**node, fmt::format("'{}' must be a string", key));
    return **(*node)->as_string();
  }
  Expected<bool> boolean(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return false;
    if (!node->is_boolean()) return error(*node, fmt::format("'{}' must be true or false", key));
    return **node->as_boolean();
  }
  // A whole number or an expression in a string.
  Expected<Expression> expression(const toml::node& node, const std::string& name) const {
    if (const auto* text = node.as_string()) return Expression{**text, place_of(node, file_)};
    if (const auto* number = node.as_integer()) return Expression{std::to_string(**number), place_of(node, file_)};
    return error(node, fmt::format("'{}' must be a whole number or an expression in quotes", name));
  }
  Expected<std::optional<Expression>> optional_expression(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::optional<Expression>();
    auto value = expression(*node, key);
    if (!value) return tl::unexpected(value.error());
    return std::optional<Expression>(std::move(*value));
  }
  Expected<std::vector<Expression>> expressions(const toml::table& table, const char* key, const std::string& where,
                                                size_t limit) const;
  Expected<std::vector<std::string>> strings(const char* key) const;  // of the root; empty where absent
  Expected<SizeTexts> sized(const toml::table& table, const std::string& where) const;
  Expected<DType> dtype(const toml::table& table, const std::string& where) const;
  // A path in the file is relative to the file's folder.
  std::filesystem::path beside(const std::string& path) const {
    return std::filesystem::absolute(std::filesystem::path(file_).parent_path() / path).lexically_normal();
  }

 private:
  const toml::table& root_;
  std::string file_;
};

// What only Triton cases have: `ir` and [compiled.ARCH]. `the_case` knows its variants already.
Expected<void> read_triton(const CaseFields& fields, Case& the_case, Case::Text& text);

// One entry of [[args]].
Expected<ArgumentText> read_argument(const CaseFields& fields, const toml::table& table, size_t index);

}  // namespace swizzleperf

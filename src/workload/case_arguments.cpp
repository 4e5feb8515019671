// Reads the entries of [[args]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workload/case_fields.h"

namespace swizzleperf {
namespace {

constexpr const char* kKnownInits =
    "known: \"zeros\", \"iota\", { random = { seed = 1, low = -1, high = 1 } }, { npy = \"file.npy\" }";

// A bound of random contents: finite, and a value of the type. Bounds travel as doubles, so integers end at 2^53.
Expected<double> random_bound(const CaseFields& fields, const toml::node& node, const std::string& key, DType dtype) {
  if (!node.is_number()) return fields.error(node, fmt::format("'{}' must be a number", key));
  const double value = *node.value<double>();
  if (!std::isfinite(value)) return fields.error(node, fmt::format("'{}' is {}: it must be finite", key, value));
  constexpr int64_t kExact = int64_t{1} << 53;
  const bool floating = is_floating(dtype);
  const double low =
      floating ? -largest_number(dtype) : static_cast<double>(std::max(smallest_integer(dtype), -kExact));
  const double high = floating ? largest_number(dtype) : static_cast<double>(std::min(largest_integer(dtype), kExact));
  if (value < low || value > high)
    return fields.error(
        node, fmt::format("'{}' is {}: beyond the values of {} ({} to {})", key, value, to_string(dtype), low, high));
  if (!floating && value != std::floor(value))
    return fields.error(node, fmt::format("'{}' is {}: {} holds whole numbers", key, value, to_string(dtype)));
  return value;
}

Expected<Init> random_init(const CaseFields& fields, const toml::table& table, DType dtype) {
  Init result{.kind = Init::Kind::kRandom};
  if (auto status = only_keys(table, {"seed", "low", "high"}, "'init.random'", fields.file()); !status)
    return tl::unexpected(status.error());
  if (!is_floating(dtype)) result.low = 0, result.high = 100;
  if (const toml::node* seed = table.get("seed")) {
    if (!seed->is_integer() || **seed->as_integer() < 0)
      return fields.error(*seed, "'seed' must be a whole number of at least 0");
    result.seed = static_cast<uint64_t>(**seed->as_integer());
  }
  for (const auto& [key, target] : {std::pair{"low", &result.low}, std::pair{"high", &result.high}}) {
    const toml::node* node = table.get(key);
    if (node == nullptr) continue;
    const auto bound = random_bound(fields, *node, key, dtype);
    if (!bound) return tl::unexpected(bound.error());
    *target = *bound;
  }
  if (!(result.low < result.high || (!is_floating(dtype) && result.low == result.high)))
    return fields.error(table, "'low' must be below 'high'");
  return result;
}

Expected<Init> init(const CaseFields& fields, const toml::node& node, DType dtype) {
  if (const auto* name = node.as_string()) {
    if (**name == "zeros") return Init{.kind = Init::Kind::kZeros};
    if (**name == "iota") return Init{.kind = Init::Kind::kIota};
    return fields.error(node, fmt::format("unknown init '{}'", **name), kKnownInits);
  }
  const toml::table* table = node.as_table();
  if (table == nullptr || table->size() != 1)
    return fields.error(node, "'init' must be a name or a table with one entry", kKnownInits);
  if (const toml::node* random = table->get("random")) {
    return random->is_table() ? random_init(fields, *random->as_table(), dtype)
                              : Expected<Init>(fields.error(*random, "'random' must be a table", kKnownInits));
  }
  if (const auto* npy = table->get("npy") == nullptr ? nullptr : table->get("npy")->as_string())
    return Init{.kind = Init::Kind::kNpy, .file = fields.beside(**npy)};
  return fields.error(node, "unknown init", kKnownInits);
}

// A floating type takes any number as it stands; integers may be expressions.
Expected<ScalarText> scalar(const CaseFields& fields, const toml::table& table, DType dtype, const std::string& where) {
  ScalarText result;
  const auto node = fields.field(table, "value", where, true);
  if (!node) return tl::unexpected(node.error());
  result.value.place = place_of(**node, fields.file());
  if (is_floating(dtype) && (*node)->is_number()) {
    result.real = (*node)->value<double>();
    return result;
  }
  auto text = fields.expression(**node, "value");
  if (!text) return tl::unexpected(text.error());
  result.value = std::move(*text);
  return result;
}

Expected<std::vector<FieldText>> struct_fields(const CaseFields& fields, const toml::node& node,
                                               const std::string& argument) {
  const std::string advice = "for example fields = [{ name = \"rows\", dtype = \"int32\", value = \"M\" }]";
  const toml::array* array = node.as_array();
  if (array == nullptr || array->empty() || array->size() > 256)
    return fields.error(node, "'fields' must be a list of 1 to 256 tables", advice);
  std::vector<FieldText> result;
  for (const auto& item : *array) {
    const toml::table* table = item.as_table();
    if (table == nullptr) return fields.error(item, "'fields' must be a list of tables", advice);
    const std::string where = fmt::format("field {} of '{}'", result.size() + 1, argument);
    if (auto status = only_keys(*table, {"name", "dtype", "value"}, where, fields.file()); !status)
      return tl::unexpected(status.error());
    FieldText field;
    auto name = fields.string(*table, "name", where, true);
    if (!name) return tl::unexpected(name.error());
    const auto dtype = fields.dtype(*table, where);
    if (!dtype) return tl::unexpected(dtype.error());
    auto value = scalar(fields, *table, *dtype, where);
    if (!value) return tl::unexpected(value.error());
    result.push_back({std::move(*name), *dtype, std::move(*value)});
  }
  return result;
}

Expected<void> read_buffer(const CaseFields& fields, const toml::table& table, const std::string& where,
                           ArgumentText& result) {
  auto shape = fields.expressions(table, "shape", where, 8);
  if (!shape) return tl::unexpected(shape.error());
  result.shape = std::move(*shape);
  result.init = Init{.kind = Init::Kind::kZeros};
  if (const toml::node* node = table.get("init")) {
    auto parsed = init(fields, *node, result.dtype);
    if (!parsed) return tl::unexpected(parsed.error());
    result.init = std::move(*parsed);
  }
  const auto output = fields.boolean(table, "output");
  if (!output) return tl::unexpected(output.error());
  result.output = *output;
  result.poisoned = result.output && !table.contains("init");
  if (const toml::node* node = table.get("tolerance")) {
    if (!node->is_number() || !(*node->value<double>() >= 0) || !std::isfinite(*node->value<double>()))
      return fields.error(*node, "'tolerance' must be a number of at least 0");
    result.tolerance = *node->value<double>();
  }
  return {};
}

}  // namespace

Expected<ArgumentText> read_argument(const CaseFields& fields, const toml::table& table, size_t index) {
  const std::string where = fmt::format("argument {}", index + 1);
  if (auto status = only_keys(table, {"name", "dtype", "value", "fields", "shape", "init", "output", "tolerance"},
                              where, fields.file());
      !status)
    return tl::unexpected(status.error());
  ArgumentText result;
  result.place = place_of(table, fields.file());
  auto name = fields.string(table, "name", where, true);
  if (!name) return tl::unexpected(name.error());
  result.name = *name;
  const bool structure = table.contains("fields");
  result.buffer = table.contains("shape");
  if (int{result.buffer} + int{table.contains("value")} + int{structure} != 1) {
    return fields.error(table, fmt::format("{} '{}' needs either 'shape' (a buffer), 'value' (a scalar) or 'fields' (a "
                                           "struct)",
                                           where, result.name));
  }
  for (const char* key : {"init", "output", "tolerance"}) {
    const toml::node* node = result.buffer ? nullptr : table.get(key);
    if (node != nullptr)
      return fields.error(*node, fmt::format("'{}' is for buffers, and '{}' is a scalar", key, result.name));
  }
  if (structure) {
    if (const toml::node* node = table.get("dtype"))
      return fields.error(*node, fmt::format("'dtype' is for each of the fields of '{}'", result.name));
    auto list = struct_fields(fields, *table.get("fields"), result.name);
    if (!list) return tl::unexpected(list.error());
    result.fields = std::move(*list);
    return result;
  }
  const auto dtype = fields.dtype(table, where);
  if (!dtype) return tl::unexpected(dtype.error());
  result.dtype = *dtype;
  if (result.buffer) {
    if (auto status = read_buffer(fields, table, where, result); !status) return tl::unexpected(status.error());
    return result;
  }
  auto value = scalar(fields, table, result.dtype, where);
  if (!value) return tl::unexpected(value.error());
  result.scalar = std::move(*value);
  return result;
}

}  // namespace swizzleperf

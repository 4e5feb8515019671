#include "workload/declared.h"

#include <fmt/format.h>

#include <algorithm>

#include "swizzle/expr.h"
#include "workload/case.h"
#include "workload/declared_program.h"
#include "workload/declared_run.h"
#include "workload/declared_tables.h"

namespace swizzleperf {
namespace {

using declared::Array;
using declared::Table;

constexpr int64_t kMaxArrayBytes = int64_t{1} << 40;
constexpr int64_t kMaxTable = int64_t{1} << 28;
constexpr size_t kMaxArrays = 256;
constexpr size_t kMaxAxes = 8;

// An expression as it stands in the file.
struct Figure {
  std::string text;
  Place place;
};

struct ArrayText {
  std::string name;
  int64_t element_bytes = 1;
  std::vector<Figure> shape;
  std::vector<Figure> strides;  // empty: contiguous
  Place place;
};

struct TableText {
  std::string name;
  bool sparse = false;
  Figure rows, columns;      // sparse
  double density = 0;        // sparse
  Figure length, low, high;  // random numbers
  uint64_t seed = 0;
  Place place;
};

}  // namespace

struct DeclaredKernel::Text {
  std::string program;
  Place program_place;
  std::vector<ArrayText> arrays;
  std::vector<TableText> tables;
};

namespace {

class Reader {
 public:
  Reader(const toml::table& root, const std::string& file) : root_(root), file_(file) {}

  Expected<DeclaredKernel::Text> run() {
    DeclaredKernel::Text text;
    const toml::node& program = *root_.get("program");
    if (!program.is_string()) return error(program, "'program' must be a string", "program = '''\n...\n'''");
    text.program = **program.as_string();
    text.program_place = place_of(program, file_);
    // A line end right after the opening quotes is not part of the text.
    const auto lines = std::count(text.program.begin(), text.program.end(), '\n');
    if (static_cast<int64_t>(program.source().end.line) - text.program_place.line > lines) ++text.program_place.line;
    text.program_place.column = 1;
    const auto arrays = tables_named("arrays", true);
    if (!arrays) return tl::unexpected(arrays.error());
    for (const toml::table* table : *arrays) {
      auto parsed = array(*table);
      if (!parsed) return tl::unexpected(parsed.error());
      text.arrays.push_back(std::move(*parsed));
    }
    const auto tables = tables_named("tables", false);
    if (!tables) return tl::unexpected(tables.error());
    for (const toml::table* table : *tables) {
      auto parsed = number_table(*table);
      if (!parsed) return tl::unexpected(parsed.error());
      text.tables.push_back(std::move(*parsed));
    }
    return text;
  }

 private:
  tl::unexpected<Error> error(const toml::node& node, std::string message, std::string advice = {}) const {
    return user_error(std::move(message), place_of(node, file_), std::move(advice));
  }

  // The entries of [[key]].
  Expected<std::vector<const toml::table*>> tables_named(const char* key, bool required) const {
    std::vector<const toml::table*> list;
    const toml::node* node = root_.get(key);
    if (node == nullptr) {
      if (!required) return list;
      return user_error(fmt::format("a declared case needs [[{}]]", key), place_of(root_, file_));
    }
    const toml::array* array = node->as_array();
    const std::string message = fmt::format("'{}' must be a list of tables: [[{}]]", key, key);
    if (array == nullptr) return error(*node, message);
    if (array->empty() || array->size() > kMaxArrays)
      return error(*node, fmt::format("'{}' must have 1 to {} entries", key, kMaxArrays));
    for (const auto& item : *array) {
      if (!item.is_table()) return error(item, message);
      list.push_back(item.as_table());
    }
    return list;
  }

  Expected<std::string> name(const toml::table& table, const char* what) const {
    const toml::node* node = table.get("name");
    if (node == nullptr || !node->is_string())
      return user_error(fmt::format("{} needs a 'name'", what), place_of(table, file_));
    const std::string text = **node->as_string();
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const bool valid = !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
      return letter(c) || (c >= '0' && c <= '9');
    });
    if (!valid) return error(*node, fmt::format("'{}' is no name: letters, digits and _ are allowed", text));
    return text;
  }

  Expected<Figure> figure(const toml::table& table, const char* key, const std::string& where) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return user_error(fmt::format("{} needs '{}'", where, key), place_of(table, file_));
    return figure(*node, key);
  }
  Expected<Figure> figure(const toml::node& node, const std::string& key) const {
    if (const auto* text = node.as_string()) return Figure{**text, place_of(node, file_)};
    if (const auto* number = node.as_integer()) return Figure{std::to_string(**number), place_of(node, file_)};
    return error(node, fmt::format("'{}' must be a whole number or an expression in quotes", key));
  }
  Expected<std::vector<Figure>> figures(const toml::node& node, const char* key) const {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->empty() || array->size() > kMaxAxes)
      return error(node, fmt::format("'{}' must be a list of 1 to {} whole numbers or expressions", key, kMaxAxes));
    std::vector<Figure> list;
    for (const auto& item : *array) {
      auto value = figure(item, key);
      if (!value) return tl::unexpected(value.error());
      list.push_back(std::move(*value));
    }
    return list;
  }

  Expected<ArrayText> array(const toml::table& table) const {
    if (auto status = only_keys(table, {"name", "dtype", "shape", "strides"}, "an array", file_); !status)
      return tl::unexpected(status.error());
    ArrayText result;
    result.place = place_of(table, file_);
    auto array_name = name(table, "an array");
    if (!array_name) return tl::unexpected(array_name.error());
    result.name = std::move(*array_name);
    const std::string where = fmt::format("array '{}'", result.name);
    const toml::node* dtype = table.get("dtype");
    if (dtype == nullptr || !dtype->is_string())
      return user_error(where + " needs a 'dtype'", place_of(table, file_), "for example dtype = \"fp16\"");
    const auto type = dtype_named(**dtype->as_string());
    if (!type) return error(*dtype, fmt::format("unknown dtype '{}'", **dtype->as_string()), "known: " + dtype_names());
    result.element_bytes = size_of(*type);
    const toml::node* shape = table.get("shape");
    if (shape == nullptr) return user_error(where + " needs a 'shape'", place_of(table, file_));
    auto extents = figures(*shape, "shape");
    if (!extents) return tl::unexpected(extents.error());
    result.shape = std::move(*extents);
    if (const toml::node* node = table.get("strides")) {
      auto strides = figures(*node, "strides");
      if (!strides) return tl::unexpected(strides.error());
      if (strides->size() != result.shape.size())
        return error(*node, fmt::format("{} has {} axes and {} strides", where, result.shape.size(), strides->size()));
      result.strides = std::move(*strides);
    }
    return result;
  }

  Expected<TableText> number_table(const toml::table& table) const {
    const char* const advice =
        "sparse = { rows = 64, columns = 64, density = 0.1, seed = 1 } or random = { length = 64, low = 0, high = 9 }";
    if (auto status = only_keys(table, {"name", "sparse", "random"}, "a table", file_); !status)
      return tl::unexpected(status.error());
    TableText result;
    result.place = place_of(table, file_);
    auto table_name = name(table, "a table");
    if (!table_name) return tl::unexpected(table_name.error());
    result.name = std::move(*table_name);
    const toml::node* sparse = table.get("sparse");
    const toml::node* random = table.get("random");
    if ((sparse == nullptr) == (random == nullptr))
      return error(table, fmt::format("table '{}' needs either 'sparse' or 'random'", result.name), advice);
    result.sparse = sparse != nullptr;
    const toml::node& node = result.sparse ? *sparse : *random;
    if (!node.is_table()) return error(node, "'sparse' and 'random' are tables", advice);
    const auto status = result.sparse ? sparse_table(*node.as_table(), result) : random_table(*node.as_table(), result);
    if (!status) return tl::unexpected(status.error());
    return result;
  }

  Expected<void> read_figures(const toml::table& table, const std::string& where,
                              std::initializer_list<std::pair<const char*, Figure*>> list) const {
    for (const auto& [key, target] : list) {
      auto value = figure(table, key, where);
      if (!value) return tl::unexpected(value.error());
      *target = std::move(*value);
    }
    if (const toml::node* node = table.get("seed");
        node != nullptr && (!node->is_integer() || **node->as_integer() < 0))
      return error(*node, "'seed' must be a whole number of at least 0");
    return {};
  }
  Expected<void> sparse_table(const toml::table& table, TableText& result) const {
    if (auto status = only_keys(table, {"rows", "columns", "density", "seed"}, "'sparse'", file_); !status)
      return status;
    if (auto status = read_figures(table, "'sparse'", {{"rows", &result.rows}, {"columns", &result.columns}}); !status)
      return status;
    result.seed = static_cast<uint64_t>(table["seed"].value_or<int64_t>(0));
    const toml::node* density = table.get("density");
    if (density == nullptr || !density->is_number() ||
        !(*density->value<double>() >= 0 && *density->value<double>() <= 1))
      return density == nullptr ? error(table, "'sparse' needs 'density'")
                                : error(*density, "'density' must be a number from 0 to 1");
    result.density = *density->value<double>();
    return {};
  }
  Expected<void> random_table(const toml::table& table, TableText& result) const {
    if (auto status = only_keys(table, {"length", "low", "high", "seed"}, "'random'", file_); !status) return status;
    result.seed = static_cast<uint64_t>(table["seed"].value_or<int64_t>(0));
    return read_figures(table, "'random'", {{"length", &result.length}, {"low", &result.low}, {"high", &result.high}});
  }

  const toml::table& root_;
  const std::string& file_;
};

Expected<int64_t> evaluate(const Figure& figure, const Sizes& sizes) {
  auto value = evaluate_expression(figure.text, sizes);
  if (value) return value;
  Error error = value.error();
  error.message = fmt::format("in '{}': {}", figure.text, error.message);
  error.place = figure.place;
  return tl::unexpected(std::move(error));
}

Expected<int64_t> evaluate_between(const Figure& figure, const Sizes& sizes, int64_t low, int64_t high,
                                   const std::string& what) {
  auto value = evaluate(figure, sizes);
  if (value && (*value < low || *value > high))
    return user_error(fmt::format("{} is {}: it must be from {} to {}", what, *value, low, high), figure.place);
  return value;
}

// Makes the tables; the number of elements of a sparse matrix NAME becomes the size NAME_nnz.
Expected<std::vector<Table>> make_tables(const std::vector<TableText>& texts, Sizes& sizes) {
  std::vector<Table> tables;
  for (const TableText& text : texts) {
    if (text.sparse) {
      const auto rows = evaluate_between(text.rows, sizes, 1, kMaxTable, "'rows'");
      if (!rows) return tl::unexpected(rows.error());
      const auto columns = evaluate_between(text.columns, sizes, 1, kMaxTable / *rows, "'columns'");
      if (!columns) return tl::unexpected(columns.error());
      auto matrix = declared::random_sparse(*rows, *columns, text.density, text.seed);
      sizes[text.name + "_nnz"] = static_cast<int64_t>(matrix.column.size());
      tables.push_back({text.name + "_start", std::move(matrix.start)});
      tables.push_back({text.name + "_column", std::move(matrix.column)});
      continue;
    }
    const auto length = evaluate_between(text.length, sizes, 1, kMaxTable, "'length'");
    if (!length) return tl::unexpected(length.error());
    const auto low = evaluate(text.low, sizes);
    if (!low) return tl::unexpected(low.error());
    const auto high = evaluate_between(text.high, sizes, *low, INT64_MAX, "'high'");
    if (!high) return tl::unexpected(high.error());
    tables.push_back({text.name, declared::random_numbers(*length, *low, *high, text.seed)});
  }
  return tables;
}

Expected<Array> make_array(const ArrayText& text, const Sizes& sizes) {
  Array array{.name = text.name, .element_bytes = text.element_bytes};
  const int64_t most = kMaxArrayBytes / text.element_bytes;
  int64_t elements = 1;
  for (const Figure& extent : text.shape) {
    const auto value = evaluate_between(extent, sizes, 1, most / elements, fmt::format("an extent of '{}'", text.name));
    if (!value) return tl::unexpected(value.error());
    array.shape.push_back(*value);
    elements *= *value;
  }
  array.strides.assign(array.shape.size(), 1);
  for (size_t i = array.shape.size() - 1; i > 0; --i) array.strides[i - 1] = array.strides[i] * array.shape[i];
  int64_t last = elements - 1;
  if (!text.strides.empty()) {
    last = 0;
    for (size_t i = 0; i < array.shape.size(); ++i) {
      const auto value = evaluate_between(text.strides[i], sizes, 0, (most - last) / array.shape[i],
                                          fmt::format("a stride of '{}'", text.name));
      if (!value) return tl::unexpected(value.error());
      array.strides[i] = *value;
      last += (array.shape[i] - 1) * *value;
    }
  }
  array.bytes = (last + 1) * text.element_bytes;
  return array;
}

// Every name once.
Expected<void> check_names(const declared::Names& names, const DeclaredKernel::Text& text) {
  std::vector<std::string> all = names.known;
  for (const auto* list : {&names.arrays, &names.tables}) all.insert(all.end(), list->begin(), list->end());
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice == all.end()) return {};
  Place place = text.program_place;
  for (const auto& array : text.arrays) place = array.name == *twice ? array.place : place;
  for (const auto& table : text.tables) place = twice->rfind(table.name, 0) == 0 ? table.place : place;
  return user_error(fmt::format("the name '{}' is given twice", *twice), place,
                    "sizes, arrays, tables and pid, grid_x, ... need different names");
}

}  // namespace

Expected<std::shared_ptr<const DeclaredKernel>> DeclaredKernel::read(const toml::table& root, const std::string& file) {
  auto text = Reader(root, file).run();
  if (!text) return tl::unexpected(text.error());
  return std::shared_ptr<const DeclaredKernel>(new DeclaredKernel(std::make_shared<const Text>(std::move(*text))));
}

Expected<Workload> DeclaredKernel::workload(const CaseInstance& instance, int64_t wave_lanes, int64_t max_steps) const {
  Sizes sizes = instance.sizes;
  auto tables = make_tables(text_->tables, sizes);
  if (!tables) return tl::unexpected(tables.error());
  std::vector<Array> arrays;
  declared::Names names{.known = {"pid", "pid_x", "pid_y", "pid_z", "grid_x", "grid_y", "grid_z", "num_wgs"}};
  const Grid& grid = instance.grid;
  std::vector<int64_t> values = {0, 0, 0, 0, grid.x, grid.y, grid.z, grid.size()};
  for (const auto& [name, value] : sizes) {
    names.known.push_back(name);
    values.push_back(value);
  }
  Workload workload;
  for (const ArrayText& text : text_->arrays) {
    auto array = make_array(text, sizes);
    if (!array) return tl::unexpected(array.error());
    names.arrays.push_back(array->name);
    names.axes.push_back(array->shape.size());
    workload.arrays.push_back({array->name, array->bytes, array->element_bytes});
    arrays.push_back(std::move(*array));
  }
  for (const Table& table : *tables) names.tables.push_back(table.name);
  if (auto status = check_names(names, *text_); !status) return tl::unexpected(status.error());
  auto program = declared::parse_program(text_->program, text_->program_place, names);
  if (!program) return tl::unexpected(program.error());
  workload.grid = grid;
  workload.threads_per_workgroup = instance.block.size();
  workload.flops = instance.flops;
  workload.flops_dtype = instance.flops_dtype;
  workload.flops_matrix = instance.flops_matrix;
  workload.footprint_source = "declared by the case";
  if (auto status =
          declared::run_program(*program, {arrays, *tables, std::move(values), wave_lanes, max_steps}, workload);
      !status)
    return tl::unexpected(status.error());
  return workload;
}

}  // namespace swizzleperf

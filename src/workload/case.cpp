#include "workload/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/toml.h"
#include "workload/npy.h"

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

bool is_float(DType type) {
  return type == DType::kF16 || type == DType::kBf16 || type == DType::kF32 || type == DType::kF64;
}

// An expression as it stands in the file, with its place.
struct Expression {
  std::string text;
  Place place;
};

struct ArgumentText {
  std::string name;
  DType dtype = DType::kF32;
  bool buffer = false;
  Expression value;            // integer scalar
  std::optional<double> real;  // floating scalar given as a number
  std::vector<Expression> shape;
  Init init;
  bool output = false;
  bool poisoned = false;
  double tolerance = 0;
  Place place;
};

constexpr int64_t kMaxBufferBytes = int64_t{1} << 40;
constexpr int64_t kMaxThreads = 1024;

}  // namespace

struct Case::Text {
  std::string file;
  std::vector<Expression> grid;
  std::vector<Expression> block;
  std::optional<Expression> shared;
  std::optional<Expression> occupancy;
  std::string occupancy_source;
  std::optional<Expression> flops;
  std::string flops_dtype = "fp32";
  bool flops_matrix = false;
  std::vector<std::pair<std::string, Expression>> sizes;  // common to all variants
  std::map<std::string, std::vector<std::pair<std::string, Expression>>> variants;
  std::vector<ArgumentText> arguments;
};

namespace {

class Reader {
 public:
  Reader(const toml::table& root, std::string file) : root_(root), file_(std::move(file)) {}

  Expected<Case> run();

 private:
  using Sized = std::vector<std::pair<std::string, Expression>>;

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
  Expected<std::vector<std::string>> strings(const char* key) const;
  Expected<Sized> sized(const toml::table& table, const std::string& where) const;
  Expected<void> read_source(Case& the_case) const;
  Expected<void> read_launch(Case::Text& text) const;
  Expected<void> read_variants(Case& the_case, Case::Text& text) const;
  Expected<ArgumentText> argument(const toml::table& table, size_t index) const;
  Expected<Init> init(const toml::node& node, DType dtype) const;
  Expected<Init> random_init(const toml::table& table, DType dtype) const;
  std::filesystem::path beside(const std::string& path) const {
    return std::filesystem::absolute(std::filesystem::path(file_).parent_path() / path).lexically_normal();
  }

  const toml::table& root_;
  std::string file_;
};

Expected<std::vector<Expression>> Reader::expressions(const toml::table& table, const char* key,
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

Expected<std::vector<std::string>> Reader::strings(const char* key) const {
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

Expected<Reader::Sized> Reader::sized(const toml::table& table, const std::string& where) const {
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

Expected<void> Reader::read_launch(Case::Text& text) const {
  const auto node = field(root_, "launch", "the case", true);
  if (!node) return tl::unexpected(node.error());
  const toml::table* launch = (*node)->as_table();
  if (launch == nullptr) return error(**node, "'launch' must be a table");
  if (auto status = only_keys(*launch, {"grid", "block", "shared", "occupancy", "occupancy_source"}, "[launch]", file_);
      !status)
    return status;
  auto grid = expressions(*launch, "grid", "[launch]", 3);
  if (!grid) return tl::unexpected(grid.error());
  auto block = expressions(*launch, "block", "[launch]", 3);
  if (!block) return tl::unexpected(block.error());
  auto shared = optional_expression(*launch, "shared");
  if (!shared) return tl::unexpected(shared.error());
  auto occupancy = optional_expression(*launch, "occupancy");
  if (!occupancy) return tl::unexpected(occupancy.error());
  text.grid = std::move(*grid);
  text.block = std::move(*block);
  text.shared = std::move(*shared);
  text.occupancy = std::move(*occupancy);
  auto source = string(*launch, "occupancy_source", "[launch]", false);
  if (!source) return tl::unexpected(source.error());
  text.occupancy_source = std::move(*source);
  return {};
}

Expected<void> Reader::read_variants(Case& the_case, Case::Text& text) const {
  if (const toml::node* node = root_.get("sizes")) {
    if (!node->is_table()) return error(*node, "'sizes' must be a table");
    auto common = sized(*node->as_table(), "sizes");
    if (!common) return tl::unexpected(common.error());
    text.sizes = std::move(*common);
  }
  const auto node = field(root_, "variants", "the case", true);
  if (!node) return tl::unexpected(node.error());
  const toml::table* variants = (*node)->as_table();
  if (variants == nullptr || variants->empty())
    return error(**node, "'variants' must hold at least one table, such as [variants.main]");
  for (const auto& [key, value] : *variants) {
    const std::string name(key.str());
    if (!value.is_table()) return error(value, fmt::format("'variants.{}' must be a table of sizes", name));
    auto list = sized(*value.as_table(), "variants." + name);
    if (!list) return tl::unexpected(list.error());
    text.variants[name] = std::move(*list);
    the_case.variants.push_back(name);
  }
  auto chosen = string(root_, "default", "the case", the_case.variants.size() > 1, the_case.variants.front());
  if (!chosen) return tl::unexpected(chosen.error());
  const auto found = std::find(the_case.variants.begin(), the_case.variants.end(), *chosen);
  if (found == the_case.variants.end())
    return error(*root_.get("default"), fmt::format("the default variant '{}' is not among the variants", *chosen));
  std::rotate(the_case.variants.begin(), found, found + 1);
  the_case.default_variant = *chosen;
  return {};
}

Expected<Init> Reader::random_init(const toml::table& table, DType dtype) const {
  Init result{.kind = Init::Kind::kRandom};
  if (auto status = only_keys(table, {"seed", "low", "high"}, "'init.random'", file_); !status)
    return tl::unexpected(status.error());
  if (!is_float(dtype)) result.low = 0, result.high = 100;
  if (const toml::node* seed = table.get("seed")) {
    if (!seed->is_integer() || **seed->as_integer() < 0)
      return error(*seed, "'seed' must be a whole number of at least 0");
    result.seed = static_cast<uint64_t>(**seed->as_integer());
  }
  for (const auto& [key, target] : {std::pair{"low", &result.low}, std::pair{"high", &result.high}}) {
    const toml::node* node = table.get(key);
    if (node == nullptr) continue;
    if (!node->is_number()) return error(*node, fmt::format("'{}' must be a number", key));
    *target = *node->value<double>();
  }
  if (!(result.low < result.high || (!is_float(dtype) && result.low == result.high)))
    return error(table, "'low' must be below 'high'");
  return result;
}

Expected<Init> Reader::init(const toml::node& node, DType dtype) const {
  const char* const advice =
      "known: \"zeros\", \"iota\", { random = { seed = 1, low = -1, high = 1 } }, { npy = \"file.npy\" }";
  if (const auto* name = node.as_string()) {
    if (**name == "zeros") return Init{.kind = Init::Kind::kZeros};
    if (**name == "iota") return Init{.kind = Init::Kind::kIota};
    return error(node, fmt::format("unknown init '{}'", **name), advice);
  }
  const toml::table* table = node.as_table();
  if (table == nullptr || table->size() != 1)
    return error(node, "'init' must be a name or a table with one entry", advice);
  if (const toml::node* random = table->get("random")) {
    return random->is_table() ? random_init(*random->as_table(), dtype)
                              : Expected<Init>(error(*random, "'random' must be a table", advice));
  }
  if (const auto* npy = table->get("npy") == nullptr ? nullptr : table->get("npy")->as_string()) {
    return Init{.kind = Init::Kind::kNpy, .file = beside(**npy)};
  }
  return error(node, "unknown init", advice);
}

Expected<ArgumentText> Reader::argument(const toml::table& table, size_t index) const {
  const std::string where = fmt::format("argument {}", index + 1);
  if (auto status = only_keys(table, {"name", "dtype", "value", "shape", "init", "output", "tolerance"}, where, file_);
      !status)
    return tl::unexpected(status.error());
  ArgumentText result;
  result.place = place_of(table, file_);
  auto name = string(table, "name", where, true);
  if (!name) return tl::unexpected(name.error());
  result.name = *name;
  auto dtype = string(table, "dtype", where, true);
  if (!dtype) return tl::unexpected(dtype.error());
  const auto* known =
      std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeName& d) { return *dtype == d.name; });
  if (known == kDTypes.end()) {
    return error(*table.get("dtype"), fmt::format("unknown dtype '{}'", *dtype), "known: " + dtype_names());
  }
  result.dtype = known->type;
  result.buffer = table.contains("shape");
  if (result.buffer == table.contains("value"))
    return error(table,
                 fmt::format("{} '{}' needs either 'shape' (a buffer) or 'value' (a scalar)", where, result.name));
  if (!result.buffer) {
    const toml::node& value = *table.get("value");
    if (is_float(result.dtype) && value.is_number()) {
      result.real = value.value<double>();
    } else {
      auto text = expression(value, "value");
      if (!text) return tl::unexpected(text.error());
      result.value = std::move(*text);
    }
    for (const char* key : {"init", "output", "tolerance"}) {
      if (const toml::node* node = table.get(key))
        return error(*node, fmt::format("'{}' is for buffers, and '{}' is a scalar", key, result.name));
    }
    return result;
  }
  auto shape = expressions(table, "shape", where, 8);
  if (!shape) return tl::unexpected(shape.error());
  result.shape = std::move(*shape);
  result.init = Init{.kind = Init::Kind::kZeros};
  if (const toml::node* node = table.get("init")) {
    auto parsed = init(*node, result.dtype);
    if (!parsed) return tl::unexpected(parsed.error());
    result.init = std::move(*parsed);
  }
  const auto output = boolean(table, "output");
  if (!output) return tl::unexpected(output.error());
  result.output = *output;
  result.poisoned = result.output && !table.contains("init");
  if (const toml::node* node = table.get("tolerance")) {
    if (!node->is_number() || !(*node->value<double>() >= 0))
      return error(*node, "'tolerance' must be a number of at least 0");
    result.tolerance = *node->value<double>();
  }
  return result;
}

// The source of a case and what is compiled with it.
Expected<void> Reader::read_source(Case& the_case) const {
  const auto source = string(root_, "source", "the case", true);
  if (!source) return tl::unexpected(source.error());
  const auto kernel = string(root_, "kernel", "the case", true);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto dialect =
      string(root_, "dialect", "the case", false, std::filesystem::path(*source).extension() == ".cu" ? "cuda" : "hip");
  if (!dialect) return tl::unexpected(dialect.error());
  if (*dialect != "hip" && *dialect != "cuda")
    return error(*root_.get("dialect"), fmt::format("unknown dialect '{}'", *dialect), "known: hip, cuda");
  the_case.kernel = *kernel;
  the_case.dialect = *dialect == "cuda" ? Dialect::kCuda : Dialect::kHip;
  the_case.source = beside(*source);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(the_case.source, ignored))
    return error(*root_.get("source"), fmt::format("the source '{}' does not exist", the_case.source.string()));
  auto defines = strings("defines");
  if (!defines) return tl::unexpected(defines.error());
  the_case.defines = std::move(*defines);
  const auto includes = strings("include");
  if (!includes) return tl::unexpected(includes.error());
  for (const auto& folder : *includes) the_case.include_folders.push_back(beside(folder));
  return {};
}

Expected<Case> Reader::run() {
  std::vector<std::string> known = {"name",     "default", "launch",      "sizes",
                                    "variants", "flops",   "flops_dtype", "flops_matrix"};
  const bool declared = DeclaredKernel::in(root_);
  for (const char* key : {"source", "kernel", "dialect", "defines", "include", "args"}) {
    if (!declared) known.emplace_back(key);
  }
  for (const char* key : {"program", "arrays", "tables"}) {
    if (declared) known.emplace_back(key);
  }
  const char* const what = declared ? "a declared case (one with a program instead of a source)" : "the case";
  if (auto status = only_keys(root_, known, what, file_); !status) return tl::unexpected(status.error());
  Case the_case;
  auto text = std::make_shared<Case::Text>();
  text->file = file_;
  the_case.file = std::filesystem::absolute(file_);
  const auto name = string(root_, "name", "the case", false, std::filesystem::path(file_).stem().string());
  if (!name) return tl::unexpected(name.error());
  the_case.name = *name;
  if (declared) {
    auto kernel = DeclaredKernel::read(root_, file_);
    if (!kernel) return tl::unexpected(kernel.error());
    the_case.declared = std::move(*kernel);
    the_case.kernel = "declared";
  } else if (auto status = read_source(the_case); !status) {
    return tl::unexpected(status.error());
  }
  if (auto status = read_launch(*text); !status) return tl::unexpected(status.error());
  if (auto status = read_variants(the_case, *text); !status) return tl::unexpected(status.error());
  auto flops = optional_expression(root_, "flops");
  if (!flops) return tl::unexpected(flops.error());
  text->flops = std::move(*flops);
  auto flops_dtype = string(root_, "flops_dtype", "the case", false, "fp32");
  if (!flops_dtype) return tl::unexpected(flops_dtype.error());
  text->flops_dtype = *flops_dtype;
  const auto matrix = boolean(root_, "flops_matrix");
  if (!matrix) return tl::unexpected(matrix.error());
  text->flops_matrix = *matrix;
  if (const toml::node* arguments = root_.get("args")) {
    const toml::array* array = arguments->as_array();
    if (array == nullptr) return error(*arguments, "'args' must be a list of tables: [[args]]");
    for (size_t i = 0; i < array->size(); ++i) {
      if (!(*array)[i].is_table()) return error((*array)[i], "'args' must be a list of tables: [[args]]");
      auto parsed = argument(*(*array)[i].as_table(), i);
      if (!parsed) return tl::unexpected(parsed.error());
      text->arguments.push_back(std::move(*parsed));
    }
  }
  the_case.text = std::move(text);
  return the_case;
}

Expected<int64_t> evaluate(const Expression& expression, const Sizes& sizes) {
  auto value = evaluate_expression(expression.text, sizes, "'" + expression.text + "'");
  if (value) return value;
  // The place in the case file, not inside the expression.
  Error error = value.error();
  error.message = fmt::format("in '{}': {}", expression.text, error.message);
  error.place = expression.place;
  return tl::unexpected(std::move(error));
}

Expected<Grid> evaluate_axes(const std::vector<Expression>& list, const Sizes& sizes, const char* what, int64_t limit) {
  std::array<int64_t, 3> axes = {1, 1, 1};
  for (size_t i = 0; i < list.size(); ++i) {
    const auto value = evaluate(list[i], sizes);
    if (!value) return tl::unexpected(value.error());
    axes.at(i) = *value;
  }
  auto grid = make_grid(axes[0], axes[1], axes[2]);
  if (!grid) {
    Error error = grid.error();
    error.message = std::string(what) + ": " + error.message;
    error.place = list.front().place;
    return tl::unexpected(std::move(error));
  }
  if (grid->size() > limit)
    return user_error(fmt::format("{} has {} elements: at most {} are allowed", what, grid->size(), limit),
                      list.front().place);
  return grid;
}

Expected<Argument> evaluate_argument(const ArgumentText& text, const Sizes& sizes) {
  Argument argument{.name = text.name,
                    .dtype = text.dtype,
                    .buffer = text.buffer,
                    .init = text.init,
                    .output = text.output,
                    .poisoned = text.poisoned,
                    .tolerance = text.tolerance};
  if (!text.buffer) {
    if (text.real) {
      argument.real = *text.real;
      return argument;
    }
    const auto value = evaluate(text.value, sizes);
    if (!value) return tl::unexpected(value.error());
    argument.integer = *value;
    argument.real = static_cast<double>(*value);
    return argument;
  }
  argument.elements = 1;
  for (const Expression& axis : text.shape) {
    const auto extent = evaluate(axis, sizes);
    if (!extent) return tl::unexpected(extent.error());
    if (*extent < 1 || *extent > kMaxBufferBytes / size_of(text.dtype) / argument.elements) {
      return user_error(
          fmt::format("argument '{}': extent {} is below 1 or makes the buffer larger than 1 TiB", text.name, *extent),
          axis.place);
    }
    argument.shape.push_back(*extent);
    argument.elements *= *extent;
  }
  if (argument.init.kind == Init::Kind::kNpy) {
    if (auto status = check_npy(argument.init.file, to_string(argument.dtype), argument.shape); !status)
      return tl::unexpected(status.error());
  }
  return argument;
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

Expected<CaseInstance> Case::instance(const std::string& variant, const Sizes& overrides) const {
  const auto chosen = text->variants.find(variant);
  if (chosen == text->variants.end()) {
    std::string list;
    for (const auto& known : variants) list += (list.empty() ? "" : ", ") + known;
    return user_error(fmt::format("the case has no variant '{}'", variant), {text->file}, "known: " + list);
  }
  CaseInstance result;
  result.variant = variant;
  for (const auto& [size, value] : overrides) {
    const auto named = [&](const auto& entry) { return entry.first == size; };
    if (std::none_of(chosen->second.begin(), chosen->second.end(), named) &&
        std::none_of(text->sizes.begin(), text->sizes.end(), named))
      return user_error(fmt::format("the case has no size '{}' in its variant '{}'", size, variant), {text->file});
    result.variant += fmt::format(", {}={}", size, value);
  }
  result.sizes = overrides;
  for (const auto* list : {&chosen->second, &text->sizes}) {
    for (const auto& [size, expression] : *list) {
      const auto value = evaluate(expression, result.sizes);
      if (!value) return tl::unexpected(value.error());
      result.sizes.emplace(size, *value);  // an override wins over the variant's own figure, that over the common one
    }
  }
  auto grid = evaluate_axes(text->grid, result.sizes, "the grid", (int64_t{1} << 31) - 1);
  if (!grid) return tl::unexpected(grid.error());
  auto block = evaluate_axes(text->block, result.sizes, "the block", kMaxThreads);
  if (!block) return tl::unexpected(block.error());
  result.grid = *grid;
  result.block = *block;
  const auto figure = [&](const std::optional<Expression>& expression, int64_t low, int64_t high,
                          const char* what) -> Expected<int64_t> {
    const auto value = evaluate(*expression, result.sizes);
    if (value && (*value < low || *value > high))
      return user_error(fmt::format("{} is {}: it must be from {} to {}", what, *value, low, high), expression->place);
    return value;
  };
  if (text->shared) {
    const auto value = figure(text->shared, 0, int64_t{1} << 20, "'shared'");
    if (!value) return tl::unexpected(value.error());
    result.shared_bytes = *value;
  }
  if (text->occupancy) {
    const auto value = figure(text->occupancy, 1, 64, "'occupancy'");
    if (!value) return tl::unexpected(value.error());
    result.occupancy = *value;
    result.occupancy_source = text->occupancy_source;
  }
  if (text->flops) {
    const auto value = figure(text->flops, 0, INT64_MAX, "'flops'");
    if (!value) return tl::unexpected(value.error());
    result.flops = static_cast<double>(*value);
  }
  result.flops_dtype = text->flops_dtype;
  result.flops_matrix = text->flops_matrix;
  for (const ArgumentText& argument : text->arguments) {
    auto evaluated = evaluate_argument(argument, result.sizes);
    if (!evaluated) return tl::unexpected(evaluated.error());
    result.arguments.push_back(std::move(*evaluated));
  }
  return result;
}

Expected<Case> parse_case(const std::string& toml_text, const std::filesystem::path& file_name) {
  const auto root = parse_toml(toml_text, file_name.string());
  if (!root) return tl::unexpected(root.error());
  return Reader(*root, file_name.string()).run();
}

Expected<Case> load_case(const std::filesystem::path& file) {
  const auto content = read_file(file, size_t{1} << 20);
  if (!content) return tl::unexpected(content.error());
  return parse_case(*content, file);
}

}  // namespace swizzleperf

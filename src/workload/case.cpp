// Reads a case file.
#include "workload/case.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "workload/case_fields.h"

namespace swizzleperf {
namespace {

class Reader : public CaseFields {
 public:
  using CaseFields::CaseFields;
  Expected<Case> run();

 private:
  Expected<void> read_source(Case& the_case) const;
  Expected<void> read_launch(Case::Text& text) const;
  Expected<void> read_variants(Case& the_case, Case::Text& text) const;
};

Expected<void> Reader::read_launch(Case::Text& text) const {
  const auto node = field(root(), "launch", "the case", true);
  if (!node) return tl::unexpected(node.error());
  const toml::table* launch = (*node)->as_table();
  if (launch == nullptr) return error(**node, "'launch' must be a table");
  const bool triton = root().contains("ir");
  const std::vector<std::string> known =
      triton ? std::vector<std::string>{"grid", "warps", "occupancy", "occupancy_source"}
             : std::vector<std::string>{"grid", "block", "shared", "occupancy", "occupancy_source"};
  const char* const what = triton ? "[launch] of a Triton case" : "[launch]";
  if (auto status = only_keys(*launch, known, what, file()); !status) return status;
  auto grid = expressions(*launch, "grid", "[launch]", 3);
  if (!grid) return tl::unexpected(grid.error());
  if (triton) {
    if (auto present = field(*launch, "warps", what, true); !present) return tl::unexpected(present.error());
  }
  auto warps = optional_expression(*launch, "warps");
  if (!warps) return tl::unexpected(warps.error());
  auto block = triton ? std::vector<Expression>() : expressions(*launch, "block", "[launch]", 3);
  if (!block) return tl::unexpected(block.error());
  auto shared = optional_expression(*launch, "shared");
  if (!shared) return tl::unexpected(shared.error());
  auto occupancy = optional_expression(*launch, "occupancy");
  if (!occupancy) return tl::unexpected(occupancy.error());
  text.grid = std::move(*grid);
  text.block = std::move(*block);
  text.warps = std::move(*warps);
  text.shared = std::move(*shared);
  text.occupancy = std::move(*occupancy);
  auto source = string(*launch, "occupancy_source", "[launch]", false);
  if (!source) return tl::unexpected(source.error());
  text.occupancy_source = std::move(*source);
  return {};
}

Expected<void> Reader::read_variants(Case& the_case, Case::Text& text) const {
  if (const toml::node* node = root().get("sizes")) {
    if (!node->is_table()) return error(*node, "'sizes' must be a table");
    auto common = sized(*node->as_table(), "sizes");
    if (!common) return tl::unexpected(common.error());
    text.sizes = std::move(*common);
  }
  const auto node = field(root(), "variants", "the case", true);
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
  auto chosen = string(root(), "default", "the case", the_case.variants.size() > 1, the_case.variants.front());
  if (!chosen) return tl::unexpected(chosen.error());
  const auto found = std::find(the_case.variants.begin(), the_case.variants.end(), *chosen);
  if (found == the_case.variants.end())
    return error(*root().get("default"), fmt::format("the default variant '{}' is not among the variants", *chosen),
                 known_names(*chosen, the_case.variants));
  std::rotate(the_case.variants.begin(), found, found + 1);
  the_case.default_variant = *chosen;
  return {};
}

// The source of a case and what is compiled with it.
Expected<void> Reader::read_source(Case& the_case) const {
  const bool triton = root().contains("ir");
  const auto source = string(root(), "source", "the case", !triton);
  if (!source) return tl::unexpected(source.error());
  const auto kernel = string(root(), "kernel", "the case", true);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto dialect = string(root(), "dialect", "the case", false,
                              std::filesystem::path(*source).extension() == ".cu" ? "cuda" : "hip");
  if (!dialect) return tl::unexpected(dialect.error());
  the_case.kernel = *kernel;
  if (triton && root().contains("dialect") && *dialect != "triton")
    return error(*root().get("dialect"), "a case with 'ir' is a Triton case", "leave the dialect out, or write triton");
  if (triton && source->empty()) return {};
  if (!triton && *dialect != "hip" && *dialect != "cuda")
    return error(
        *root().get("dialect"), fmt::format("unknown dialect '{}'", *dialect),
        *dialect == "triton" ? "a Triton case names the kernel's IR: ir = \"kernel.ttir\"" : "known: hip, cuda");
  the_case.dialect = *dialect == "cuda" ? Dialect::kCuda : Dialect::kHip;
  the_case.source = beside(*source);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(the_case.source, ignored))
    return error(*root().get("source"), fmt::format("the source '{}' does not exist", the_case.source.string()));
  if (triton) return {};
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
  const bool declared = DeclaredKernel::in(root());
  const bool triton = root().contains("ir") && !declared;
  for (const char* key : {"source", "kernel", "dialect", "args"}) {
    if (!declared) known.emplace_back(key);
  }
  for (const char* key : {"defines", "include"}) {
    if (!declared && !triton) known.emplace_back(key);
  }
  for (const char* key : {"ir", "compiled"}) {
    if (triton) known.emplace_back(key);
  }
  for (const char* key : {"program", "arrays", "tables"}) {
    if (declared) known.emplace_back(key);
  }
  const char* const what = declared ? "a declared case (one with a program instead of a source)"
                           : triton ? "a Triton case (one with ir)"
                                    : "the case";
  if (auto status = only_keys(root(), known, what, file()); !status) return tl::unexpected(status.error());
  Case the_case;
  auto text = std::make_shared<Case::Text>();
  text->file = file();
  the_case.file = std::filesystem::absolute(file());
  const auto name = string(root(), "name", "the case", false, std::filesystem::path(file()).stem().string());
  if (!name) return tl::unexpected(name.error());
  the_case.name = *name;
  if (declared) {
    auto kernel = DeclaredKernel::read(root(), file());
    if (!kernel) return tl::unexpected(kernel.error());
    the_case.declared = std::move(*kernel);
    the_case.kernel = "declared";
  } else if (auto status = read_source(the_case); !status) {
    return tl::unexpected(status.error());
  }
  if (auto status = read_launch(*text); !status) return tl::unexpected(status.error());
  if (auto status = read_variants(the_case, *text); !status) return tl::unexpected(status.error());
  if (triton) {
    if (auto status = read_triton(*this, the_case, *text); !status) return tl::unexpected(status.error());
  }
  auto flops = optional_expression(root(), "flops");
  if (!flops) return tl::unexpected(flops.error());
  text->flops = std::move(*flops);
  auto flops_dtype = string(root(), "flops_dtype", "the case", false, "fp32");
  if (!flops_dtype) return tl::unexpected(flops_dtype.error());
  text->flops_dtype = *flops_dtype;
  const auto matrix = boolean(root(), "flops_matrix");
  if (!matrix) return tl::unexpected(matrix.error());
  text->flops_matrix = *matrix;
  if (const toml::node* arguments = root().get("args")) {
    const toml::array* array = arguments->as_array();
    if (array == nullptr) return error(*arguments, "'args' must be a list of tables: [[args]]");
    for (size_t i = 0; i < array->size(); ++i) {
      if (!(*array)[i].is_table()) return error((*array)[i], "'args' must be a list of tables: [[args]]");
      auto parsed = read_argument(*this, *(*array)[i].as_table(), i);
      if (!parsed) return tl::unexpected(parsed.error());
      the_case.arguments.push_back(
          {parsed->name, parsed->dtype, parsed->buffer, !parsed->fields.empty(), parsed->place});
      text->arguments.push_back(std::move(*parsed));
    }
  }
  the_case.text = std::move(text);
  return the_case;
}

}  // namespace

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

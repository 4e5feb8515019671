#include "llm/prices.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/toml.h"

namespace swizzleperf {
namespace {

Expected<Price> parse_price(const toml::node& node, const std::string& model, const std::string& file) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return user_error(fmt::format("the price of '{}' is no table", model), place_of(node, file));
  if (auto status = only_keys(*table, {"input", "output", "source"}, "a price", file); !status)
    return tl::unexpected(status.error());
  const auto input = (*table)["input"].value<double>();
  const auto output = (*table)["output"].value<double>();
  if (!input || !output || !(*input >= 0) || !(*output >= 0))
    return user_error(fmt::format("the price of '{}' needs 'input' and 'output', not negative", model),
                      place_of(node, file), "write { input = 1.0, output = 2.0 }: US dollars a million tokens");
  return Price{*input, *output};
}

}  // namespace

Expected<Prices> Prices::parse(const std::string& toml_text, const std::string& file_name) {
  const auto table = parse_toml(toml_text, file_name);
  if (!table) return tl::unexpected(table.error());
  if (auto status = only_keys(*table, {"as_of", "models"}, "a list of prices", file_name); !status)
    return tl::unexpected(status.error());
  Prices prices;
  prices.as_of_ = (*table)["as_of"].value_or(std::string());
  const toml::table* models = (*table)["models"].as_table();
  if (models == nullptr) return user_error("there is no table [models]", {file_name});
  for (const auto& [name, node] : *models) {
    auto price = parse_price(node, std::string(name.str()), file_name);
    if (!price) return tl::unexpected(price.error());
    prices.models_[std::string(name.str())] = *price;
  }
  return prices;
}

Expected<Prices> Prices::load(const std::filesystem::path& file) {
  const auto path = file.empty() ? data_folder() / "data" / "prices.toml" : file;
  const auto text = read_file(path, 1 << 20);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path.string());
}

std::optional<Price> Prices::find(const std::string& model) const {
  std::optional<Price> found;
  size_t longest = 0;
  for (const auto& [name, price] : models_) {
    if (name.size() < longest || model.compare(0, name.size(), name) != 0) continue;
    longest = name.size();
    found = price;
  }
  return found;
}

}  // namespace swizzleperf

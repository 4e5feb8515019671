#include "llm/provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/nearest.h"
#include "base/toml.h"

namespace swizzleperf {
namespace {

const std::vector<std::string> kFields = {"wire",       "base_url",         "path",    "key_variable", "key_required",
                                          "key_header", "key_prefix",       "headers", "reply",        "tools",
                                          "free",       "max_tokens_field", "source"};

const std::map<std::string, Wire> kWires = {
    {"openai", Wire::kOpenAi}, {"anthropic", Wire::kAnthropic}, {"gemini", Wire::kGemini}};
const std::map<std::string, ReplyForm> kForms = {{"schema", ReplyForm::kSchema},
                                                 {"object", ReplyForm::kObject},
                                                 {"tool", ReplyForm::kTool},
                                                 {"text", ReplyForm::kText}};

// Reads fields and remembers the first that is wrong.
class Reader {
 public:
  Reader(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  template <class T>
  T value(const char* key, T fallback) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return fallback;
    const auto found = node->value_exact<T>();
    if (!found) fail(fmt::format("'{}' has the wrong type", key), node);
    return found.value_or(fallback);
  }

  template <class T>
  T choice(const char* key, const std::map<std::string, T>& choices) {
    const auto text = value<std::string>(key, "");
    const auto found = choices.find(text);
    if (found != choices.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, unused] : choices) names.push_back(name);
    fail(fmt::format("'{}' is no {}: {}", text, key, known_names(text, names)), table_.get(key));
    return choices.begin()->second;
  }

  std::map<std::string, std::string> texts(const char* key) {
    std::map<std::string, std::string> result;
    const toml::table* table = table_[key].as_table();
    if (table == nullptr) return result;
    for (const auto& [name, node] : *table) {
      const auto text = node.value_exact<std::string>();
      if (!text) fail(fmt::format("'{}' in {} is no text", name.str(), key), &node);
      result[std::string(name.str())] = text.value_or("");
    }
    return result;
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  void fail(std::string message, const toml::node* node) {
    if (error_) return;
    error_ = Error{Blame::kUser, std::move(message), node != nullptr ? place_of(*node, file_) : Place{file_}};
  }
  const toml::table& table_;
  std::string file_;
  std::optional<Error> error_;
};

std::filesystem::path folder() {
  return data_folder() / "data" / "providers";
}

}  // namespace

Expected<Provider> parse_provider(const std::string& toml_text, const std::string& file_name) {
  const auto table = parse_toml(toml_text, file_name);
  if (!table) return tl::unexpected(table.error());
  if (auto status = only_keys(*table, kFields, "a provider", file_name); !status) return tl::unexpected(status.error());
  Reader reader(*table, file_name);
  Provider provider;
  provider.name = std::filesystem::path(file_name).stem().string();
  provider.wire = reader.choice("wire", kWires);
  provider.base_url = reader.value<std::string>("base_url", "");
  provider.path = reader.value<std::string>("path", "");
  provider.key_variable = reader.value<std::string>("key_variable", "");
  provider.key_required = reader.value<bool>("key_required", false);
  provider.key_header = reader.value<std::string>("key_header", "Authorization");
  provider.key_prefix = reader.value<std::string>("key_prefix", "");
  provider.headers = reader.texts("headers");
  provider.max_tokens_field = reader.value<std::string>("max_tokens_field", "max_tokens");
  provider.reply = reader.choice("reply", kForms);
  provider.tools = reader.value<bool>("tools", true);
  provider.free = reader.value<bool>("free", false);
  provider.source = reader.value<std::string>("source", "");
  if (reader.error()) return tl::unexpected(*reader.error());
  if (provider.path.empty() || provider.path.front() != '/')
    return user_error("'path' must begin with '/'", {file_name}, "for example path = \"/chat/completions\"");
  return provider;
}

Expected<Provider> load_provider(const std::string& name_or_file) {
  const bool is_file = name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".toml");
  const auto known = known_providers();
  if (!is_file && std::find(known.begin(), known.end(), name_or_file) == known.end())
    return user_error(fmt::format("unknown provider '{}'", name_or_file), {"--provider"},
                      known_names(name_or_file, known));
  const std::filesystem::path file =
      is_file ? std::filesystem::path(name_or_file) : folder() / (name_or_file + ".toml");
  const auto text = read_file(file, 64 << 10);
  if (!text) return tl::unexpected(text.error());
  return parse_provider(*text, file.string());
}

std::vector<std::string> known_providers() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder(), ignored))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace swizzleperf

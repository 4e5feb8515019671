#include "gpu/gpu_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/file.h"
#include "base/toml.h"
#include "gpu/consistency.h"
#include "gpu/partition.h"

namespace swizzleperf {
namespace {

constexpr int64_t kMaxCount = int64_t{1} << 50;

// A field of the file and where it goes. `required` fields must be present and positive.
struct Field {
  const char* section;
  const char* key;
  std::variant<int64_t*, double*, std::string*, bool*> target;
  bool required = false;
};

// Fields whose text is one of a few words.
struct Words {
  std::string dispatch;
  std::string set_index;
};

std::vector<Field> fields_of(GpuSpec& gpu, Words& words) {
  return {{"", "name", &gpu.name, true},
          {"", "vendor", &gpu.vendor, true},
          {"", "arch", &gpu.arch, true},
          {"", "domains", &gpu.domains, true},
          {"", "cus_per_domain", &gpu.cus_per_domain, true},
          {"", "dispatch", &words.dispatch, true},
          {"", "clock_hz", &gpu.clock_hz},
          {"compute_unit", "wave_lanes", &gpu.wave_lanes, true},
          {"compute_unit", "max_waves", &gpu.max_waves_per_cu, true},
          {"compute_unit", "max_workgroups", &gpu.max_workgroups_per_cu},
          {"compute_unit", "lds_bytes", &gpu.lds_bytes_per_cu},
          {"compute_unit", "registers", &gpu.registers_per_cu},
          {"compute_unit", "speed_spread", &gpu.speed_spread},
          {"instruction_cache", "compute_units", &gpu.cus_per_instruction_cache},
          {"instruction_cache", "requests", &gpu.code_requests},
          {"l1", "bytes", &gpu.l1.bytes},
          {"l1", "line_bytes", &gpu.l1.line_bytes},
          {"l2", "bytes", &gpu.l2.bytes, true},
          {"l2", "line_bytes", &gpu.l2.line_bytes, true},
          {"l2", "channels", &gpu.l2.channels},
          {"l2", "channel_interleave_bytes", &gpu.l2.channel_interleave_bytes},
          {"l2", "ways", &gpu.l2.ways},
          {"l2", "set_index", &words.set_index},
          {"l2", "partitions", &gpu.l2_partitions},
          {"l2", "pair_merge", &gpu.l1_pair_merge},
          {"l2", "load_request_bytes", &gpu.load_request_bytes, true},
          {"l2", "store_request_bytes", &gpu.store_request_bytes, true},
          {"l2", "bytes_per_second", &gpu.l2_bytes_per_second},
          {"llc", "bytes", &gpu.llc.bytes},
          {"llc", "line_bytes", &gpu.llc.line_bytes},
          {"llc", "bytes_per_second", &gpu.llc_bytes_per_second},
          {"dram", "bytes_per_second", &gpu.dram_bytes_per_second}};
}

std::string dotted(const Field& field) {
  return *field.section == '\0' ? field.key : fmt::format("{}.{}", field.section, field.key);
}

class Reader {
 public:
  Reader(const toml::table& root, std::string file, GpuSpec& gpu) : root_(root), file_(std::move(file)), gpu_(gpu) {}

  Expected<void> read(const Field& field) {
    const toml::node_view<const toml::node> section =
        *field.section == '\0' ? toml::node_view<const toml::node>(root_) : root_[field.section];
    const toml::node* node = section.is_table() ? section.as_table()->get(field.key) : nullptr;
    const std::string name = dotted(field);
    if (node == nullptr) {
      if (field.required) return user_error(fmt::format("the field '{}' is missing", name), {file_});
      return {};
    }
    return store(name, *node, field.target, field.required);
  }

  // A figure is a plain value, or { value = ..., source = "...", derived = "..." }.
  Expected<void> store(const std::string& name, const toml::node& node,
                       std::variant<int64_t*, double*, std::string*, bool*> target, bool required) {
    Provenance provenance{.key = name};
    const toml::node* value = &node;
    if (const toml::table* table = node.as_table()) {
      if (auto status = only_keys(*table, {"value", "source", "derived"}, "'" + name + "'", file_); !status)
        return status;
      value = table->get("value");
      if (value == nullptr) return error(node, fmt::format("'{}' has no value", name));
      const auto source = (*table)["source"].value<std::string>();
      const auto derived = (*table)["derived"].value<std::string>();
      provenance.source = source.value_or("");
      provenance.derived = derived.has_value();
      if (derived) provenance.source = *derived + (source ? "; " + *source : "");
    }
    if (auto* const* integer = std::get_if<int64_t*>(&target)) {
      if (!value->is_integer()) return error(*value, fmt::format("'{}' must be a whole number", name));
      const int64_t number = **value->as_integer();
      if (number < (required ? 1 : 0) || number > kMaxCount)
        return error(*value, fmt::format("'{}' is {}: out of range", name, number));
      **integer = number;
      provenance.value = fmt::format("{}", number);
    } else if (auto* const* real = std::get_if<double*>(&target)) {
      if (!value->is_number()) return error(*value, fmt::format("'{}' must be a number", name));
      const double number = value->value<double>().value_or(-1);
      if (!(number > 0) || !std::isfinite(number)) return error(*value, fmt::format("'{}' must be positive", name));
      **real = number;
      provenance.value = fmt::format("{:g}", number);
    } else if (auto* const* flag = std::get_if<bool*>(&target)) {
      if (!value->is_boolean()) return error(*value, fmt::format("'{}' must be true or false", name));
      **flag = **value->as_boolean();
      provenance.value = **flag ? "true" : "false";
    } else {
      if (!value->is_string()) return error(*value, fmt::format("'{}' must be a string", name));
      *std::get<std::string*>(target) = **value->as_string();
      provenance.value = **value->as_string();
    }
    gpu_.provenance.push_back(std::move(provenance));
    return {};
  }

  // A section whose keys are free: dtypes, partition modes.
  template <class Value>
  Expected<void> read_map(const char* section, std::map<std::string, Value>& values) {
    const toml::node* given = root_.get(section);
    if (given == nullptr) return {};
    if (!given->is_table()) return error(*given, fmt::format("'{}' must be a table", section));
    for (const auto& [key, node] : *given->as_table()) {
      const std::string name(key.str());
      if (auto status = store(fmt::format("{}.{}", section, name), node, &values[name], true); !status) return status;
    }
    return {};
  }

  tl::unexpected<Error> error(const toml::node& node, std::string message) const {
    return user_error(std::move(message), place_of(node, file_));
  }

 private:
  const toml::table& root_;
  std::string file_;
  GpuSpec& gpu_;
};

Expected<void> check_keys(const toml::table& root, const std::vector<Field>& fields, const std::string& file) {
  std::map<std::string, std::vector<std::string>> known;
  for (const Field& field : fields) known[field.section].emplace_back(field.key);
  std::vector<std::string> top = known[""];
  for (const auto& [section, keys] : known) {
    if (!section.empty()) top.push_back(section);
  }
  top.insert(top.end(), {"matrix_flops", "vector_flops", "partitions"});
  if (auto status = only_keys(root, top, "the file", file); !status) return status;
  for (const auto& [section, keys] : known) {
    const toml::node* node = section.empty() ? nullptr : root.get(section);
    if (node == nullptr) continue;
    if (!node->is_table()) return user_error(fmt::format("'{}' must be a table", section), place_of(*node, file));
    if (auto status = only_keys(*node->as_table(), keys, "[" + section + "]", file); !status) return status;
  }
  return {};
}

Expected<void> read_words(const Words& words, const toml::table& root, const std::string& file, GpuSpec& gpu) {
  if (words.dispatch != "round_robin" && words.dispatch != "single_queue")
    return user_error(fmt::format("'dispatch' is '{}': it must be round_robin or single_queue", words.dispatch),
                      place_of(*root.get("dispatch"), file));
  gpu.dispatch = words.dispatch == "round_robin" ? Dispatch::kRoundRobin : Dispatch::kSingleQueue;
  if (words.set_index != "" && words.set_index != "modulo" && words.set_index != "xor_fold")
    return user_error(fmt::format("'l2.set_index' is '{}': it must be modulo or xor_fold", words.set_index),
                      place_of(*root["l2"]["set_index"].node(), file));
  gpu.l2.set_index = words.set_index == "modulo" ? SetIndex::kModulo : SetIndex::kXorFold;
  return {};
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Expected<GpuSpec> parse_gpu(const std::string& toml_text, const std::string& file_name) {
  const auto root = parse_toml(toml_text, file_name);
  if (!root) return tl::unexpected(root.error());
  GpuSpec gpu;
  Words words;
  const std::vector<Field> fields = fields_of(gpu, words);
  if (auto status = check_keys(*root, fields, file_name); !status) return tl::unexpected(status.error());
  Reader reader(*root, file_name, gpu);
  for (const Field& field : fields) {
    if (auto status = reader.read(field); !status) return tl::unexpected(status.error());
  }
  if (auto status = reader.read_map("matrix_flops", gpu.peak_flops); !status) return tl::unexpected(status.error());
  if (auto status = reader.read_map("vector_flops", gpu.vector_flops); !status) return tl::unexpected(status.error());
  if (auto status = reader.read_map("partitions", gpu.partitions); !status) return tl::unexpected(status.error());
  if (auto status = read_words(words, *root, file_name, gpu); !status) return tl::unexpected(status.error());
  if (auto status = check_consistency(gpu, *root, file_name); !status) return tl::unexpected(status.error());
  return gpu;
}

std::vector<std::string> known_gpus() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "gpus", ignored)) {
    if (entry.path().extension() != ".toml") continue;
    std::string name = entry.path().stem().string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Expected<GpuSpec> load_gpu(const std::string& name_or_file) {
  const auto [name, part] = split_part(name_or_file);
  const bool is_file = name.find('/') != std::string::npos || std::filesystem::path(name).extension() == ".toml";
  const std::filesystem::path file =
      is_file ? std::filesystem::path(name) : data_folder() / "gpus" / (lower(name) + ".toml");
  std::error_code ignored;
  if (!is_file && !std::filesystem::exists(file, ignored)) {
    return user_error(fmt::format("unknown GPU '{}'", name), {},
                      known_names(name, known_gpus()) + "; or give the path of a TOML file");
  }
  const auto text = read_file(file, size_t{1} << 20);
  if (!text) return tl::unexpected(text.error());
  auto whole = parse_gpu(*text, file.string());
  if (!whole || part.empty()) return whole;
  return take_part(std::move(*whole), part);
}

}  // namespace swizzleperf

#include "frontend/triton/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "frontend/triton/ir.h"

namespace swizzleperf {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMaxMetadataBytes = size_t{4} << 20;
constexpr size_t kMaxIrBytes = size_t{64} << 20;
constexpr size_t kMaxEntries = 1'000'000;

std::optional<int64_t> whole(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? std::optional(found->get<int64_t>()) : std::nullopt;
}

// Up to 3.0 a target is [backend, arch, lanes], later an object.
std::string target_of(const Json& metadata) {
  const auto found = metadata.find("target");
  if (found == metadata.end()) return {};
  const auto text = [](const Json& json) { return json.is_string() ? json.get<std::string>() : json.dump(); };
  if (found->is_object() && found->contains("backend") && found->contains("arch"))
    return text((*found)["backend"]) + ":" + text((*found)["arch"]);
  if (found->is_array() && found->size() >= 2) return text((*found)[0]) + ":" + text((*found)[1]);
  return {};
}

std::string described(const triton::Value& parameter) {
  using Element = triton::Type::Element;
  const triton::Type& type = parameter.type;
  const auto scalar = [](const triton::Type& t) {
    return fmt::format("{}{}", t.element == Element::kFloat ? (t.brain ? "bf" : "fp") : "int", t.bits);
  };
  if (type.element == Element::kPointer && type.pointee)
    return fmt::format("{}: pointer to {}", parameter.name, scalar(*type.pointee));
  if (type.element == Element::kDescriptor) return parameter.name + ": tensor descriptor";
  return fmt::format("{}: {}", parameter.name, scalar(type));
}

void find_axes(const triton::Region& region, std::vector<std::string>& axes) {
  for (const triton::Block& block : region.blocks) {
    for (const triton::Operation& operation : block.operations) {
      if (operation.name == "tt.get_program_id" && !operation.words.empty() &&
          std::find(axes.begin(), axes.end(), operation.words.front()) == axes.end())
        axes.push_back(operation.words.front());
      for (const triton::Region& inner : operation.regions) find_axes(inner, axes);
    }
  }
}

void read_ir(CachedKernel& kernel) {
  const auto text = read_file(kernel.ir, kMaxIrBytes);
  const auto module = text ? triton::parse_ttir(*text, kernel.ir.string()) : tl::unexpected(text.error());
  if (!module) {
    kernel.problem = describe(module.error());
    return;
  }
  const triton::Function* function = module->function(kernel.name);
  if (function == nullptr) {
    kernel.problem = fmt::format("the IR has no function '{}'", kernel.name);
    return;
  }
  for (const int parameter : function->parameters)
    kernel.parameters.push_back(described(function->values[static_cast<size_t>(parameter)]));
  for (const triton::Function& one : module->functions) find_axes(one.body, kernel.grid_axes);
  std::sort(kernel.grid_axes.begin(), kernel.grid_axes.end());
}

// The metadata of a kernel, unless the file is something else of the cache.
std::optional<CachedKernel> read_group(const fs::path& file) {
  const auto text = read_file(file, kMaxMetadataBytes);
  if (!text) return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) return std::nullopt;
  CachedKernel kernel;
  kernel.name = json["name"].get<std::string>();
  kernel.metadata = file;
  kernel.target = target_of(json);
  kernel.warps = whole(json, "num_warps");
  kernel.shared_bytes = whole(json, "shared");
  if (const auto version = json.find("triton_version"); version != json.end() && version->is_string())
    kernel.version = version->get<std::string>();
  fs::path ir = file;
  ir.replace_extension(".ttir");
  std::error_code ignored;
  if (fs::is_regular_file(ir, ignored)) {
    kernel.ir = ir;
    read_ir(kernel);
  } else {
    kernel.problem = "no .ttir beside its metadata";
  }
  return kernel;
}

}  // namespace

Expected<std::vector<CachedKernel>> read_triton_cache(const fs::path& folder) {
  std::error_code error;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  if (error)
    return user_error("the folder cannot be read: " + error.message(), {folder.string()},
                      "give Triton's cache: $TRITON_CACHE_DIR, else ~/.triton/cache");
  std::vector<fs::path> files;
  for (size_t seen = 0; at != fs::recursive_directory_iterator() && seen < kMaxEntries; at.increment(error), ++seen) {
    if (error) return user_error("the folder cannot be read: " + error.message(), {folder.string()});
    const fs::path& path = at->path();
    // __grp__NAME.json lists the files of a group and is no kernel.
    if (path.extension() == ".json" && path.filename().string().rfind("__grp__", 0) != 0) files.push_back(path);
  }
  std::vector<CachedKernel> kernels;
  for (const fs::path& file : files) {
    if (auto kernel = read_group(file)) kernels.push_back(std::move(*kernel));
  }
  std::sort(kernels.begin(), kernels.end(), [](const CachedKernel& a, const CachedKernel& b) {
    return std::tie(a.name, a.metadata) < std::tie(b.name, b.metadata);
  });
  return kernels;
}

}  // namespace swizzleperf

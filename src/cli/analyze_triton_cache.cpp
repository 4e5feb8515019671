#include "cli/analyze_triton_cache.h"

#include <fmt/format.h>

#include "cli/session.h"
#include "frontend/triton/cache.h"
#include "report/json.h"

namespace swizzleperf {
namespace {

// What a case needs that a cache does not hold.
std::vector<std::string> missing_parts(const CachedKernel& kernel) {
  if (!kernel.problem.empty()) return {kernel.problem};
  std::vector<std::string> parts = {"the grid", "the arguments' values and shapes"};
  if (!kernel.warps) parts.emplace_back("num_warps");
  return parts;
}

std::string joined(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

void print_text(const std::string& folder, const std::vector<CachedKernel>& kernels) {
  fmt::print("{} kernel(s) in {}\n", kernels.size(), folder);
  for (const CachedKernel& kernel : kernels) {
    fmt::print("\n{}{}{}\n", kernel.name, kernel.target.empty() ? "" : " for " + kernel.target,
               kernel.version.empty() ? "" : ", Triton " + kernel.version);
    fmt::print("  ir: {}\n", kernel.ir.empty() ? "none" : kernel.ir.string());
    if (kernel.warps) fmt::print("  {} warps", *kernel.warps);
    if (kernel.warps && kernel.shared_bytes) fmt::print(", {} B of shared memory", *kernel.shared_bytes);
    if (kernel.warps) fmt::print("\n");
    if (!kernel.parameters.empty()) fmt::print("  parameters: {}\n", joined(kernel.parameters));
    if (!kernel.grid_axes.empty()) fmt::print("  program ids read: {}\n", joined(kernel.grid_axes));
    fmt::print("  missing to analyse it: {}\n", joined(missing_parts(kernel)));
  }
  if (!kernels.empty())
    fmt::print(
        "\nA case gives what is missing: docs/triton.md. swizzleperf.triton.capture records it from a launch.\n");
}

void print_json(const std::vector<CachedKernel>& kernels) {
  Json list = Json::array();
  for (const CachedKernel& kernel : kernels) {
    list.push_back({{"name", kernel.name},
                    {"metadata", kernel.metadata.string()},
                    {"ir", kernel.ir.empty() ? Json(nullptr) : Json(kernel.ir.string())},
                    {"target", kernel.target.empty() ? Json(nullptr) : Json(kernel.target)},
                    {"triton_version", kernel.version.empty() ? Json(nullptr) : Json(kernel.version)},
                    {"warps", kernel.warps ? Json(*kernel.warps) : Json(nullptr)},
                    {"shared", kernel.shared_bytes ? Json(*kernel.shared_bytes) : Json(nullptr)},
                    {"parameters", kernel.parameters},
                    {"program_ids", kernel.grid_axes},
                    {"missing", missing_parts(kernel)}});
  }
  fmt::print("{}", print(list));
}

}  // namespace

int analyze_triton_cache(const std::string& folder, bool json) {
  const auto kernels = read_triton_cache(folder);
  if (!kernels) return report_error(kernels.error());
  json ? print_json(*kernels) : print_text(folder, *kernels);
  return 0;
}

}  // namespace swizzleperf

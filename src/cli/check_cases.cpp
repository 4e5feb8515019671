#include "cli/check_cases.h"

#include <fmt/format.h>

#include "base/file.h"
#include "cli/session.h"
#include "report/json.h"

namespace swizzleperf {
namespace {

// Both schemas of case files: id, grid, num_xcds and map; everything else is the statement, not the question.
Expected<CheckCase> read_case(const Json& one, const std::string& where, const Place& place) {
  if (!one.is_object() || !one.contains("id") || !one["id"].is_string() || !one.contains("map") ||
      !one["map"].is_string() || !one.contains("grid") || !one["grid"].is_array() || one["grid"].empty() ||
      one["grid"].size() > 3 || !one.contains("num_xcds") || !one["num_xcds"].is_number_integer())
    return user_error(where + "needs id, map (text), grid (1 to 3 integers) and num_xcds (integer)", place);
  int64_t axes[3] = {1, 1, 1};
  for (size_t i = 0; i < one["grid"].size(); ++i) {
    if (!one["grid"][i].is_number_integer()) return user_error(where + "grid holds something not an integer", place);
    axes[i] = one["grid"][i].get<int64_t>();
  }
  const auto grid = make_grid(axes[0], axes[1], axes[2]);
  if (!grid) return user_error(where + grid.error().message, place, grid.error().advice);
  const auto xcds = one["num_xcds"].get<int64_t>();
  if (xcds < 1 || xcds > 1024) return user_error(where + "num_xcds must be 1 to 1024", place);
  return CheckCase{one["id"], one["map"], *grid, {{"num_xcds", xcds}}, xcds > 1, ""};
}

Expected<std::vector<CheckCase>> read_cases(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  const Json json = Json::parse(*text, nullptr, false);
  const Place place{file};
  if (!json.is_array()) return user_error("not a JSON array of cases", place);
  std::vector<CheckCase> cases;
  for (const Json& one : json) {
    auto read = read_case(one, fmt::format("case {}: ", cases.size() + 1), place);
    if (!read) return tl::unexpected(read.error());
    cases.push_back(std::move(*read));
  }
  return cases;
}

// How the GPU hands out workgroups decides whether a map says where tiles run.
Expected<void> place_on_gpu(const std::string& name, CheckCase& one) {
  const auto gpu = load_gpu(name);
  if (!gpu) return tl::unexpected(gpu.error());
  one.sizes = gpu_sizes(*gpu);
  one.placed = gpu->dispatch == Dispatch::kRoundRobin && gpu->domains > 1;
  if (gpu->dispatch == Dispatch::kSingleQueue)
    one.queue = gpu->name +
                " has one queue of workgroups for all its compute units: a map decides when a tile runs, not "
                "where";
  else if (gpu->domains == 1)
    one.queue = gpu->name + " has one L2 for all its compute units: a map decides when a tile runs, not where";
  return {};
}

}  // namespace

Expected<std::vector<CheckCase>> check_cases(const CheckRequest& request) {
  if (request.file.empty() == request.map.empty()) return user_error("give either --map with --grid, or --file");
  if (!request.file.empty()) {
    if (!request.grid.empty() || !request.gpu.empty() || request.xcds != 0)
      return user_error("--file states grid and XCDs itself: leave out --grid, --xcds and --gpu");
    return read_cases(request.file);
  }
  if (request.grid.empty()) return user_error("--map needs --grid X[,Y[,Z]]");
  if (!request.gpu.empty() && request.xcds != 0) return user_error("give either --gpu or --xcds");
  const auto grid = parse_grid(request.grid);
  if (!grid) return tl::unexpected(grid.error());
  CheckCase one{"map", request.map, *grid, {}, request.xcds > 1, ""};
  if (request.xcds != 0) one.sizes["num_xcds"] = request.xcds;
  if (!request.gpu.empty()) {
    if (auto status = place_on_gpu(request.gpu, one); !status) return tl::unexpected(status.error());
  }
  return std::vector<CheckCase>{std::move(one)};
}

}  // namespace swizzleperf

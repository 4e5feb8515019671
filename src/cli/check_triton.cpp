#include "cli/check_triton.h"

#include <fmt/format.h>

#include "base/file.h"
#include "cli/session.h"
#include "report/json.h"
#include "swizzle/diagnose.h"

namespace swizzleperf {
namespace {

constexpr int64_t kDefaultLanes = 32;  // without a GPU: how lanes share requests does not change what is touched
constexpr size_t kMaxIrBytes = size_t{64} << 20;

struct Answer {
  Grid grid;
  MapReport map;
  std::optional<TritonComparison> accesses;  // none where the map is no bijection
};

Expected<Answer> find_answer(const CheckRequest& check, const TritonCheckRequest& request) {
  if (request.case_file.empty() || request.rewritten.empty() || check.map.empty())
    return user_error("--case, --ttir-rewritten and --map belong together");
  if (!check.grid.empty() || !check.file.empty())
    return user_error("--case states the grid itself: leave out --grid and --file");
  auto the_case = load_case(request.case_file);
  if (!the_case) return tl::unexpected(the_case.error());
  if (!the_case->triton()) return user_error("not the case of a Triton kernel: it has no 'ir'", {request.case_file});
  const std::string& variant = request.variant.empty() ? the_case->default_variant : request.variant;
  const auto instance = the_case->instance(variant);
  if (!instance) return tl::unexpected(instance.error());
  Sizes sizes = instance->sizes;
  int64_t lanes = kDefaultLanes;
  if (!check.gpu.empty()) {
    const auto gpu = load_gpu(check.gpu);
    if (!gpu) return tl::unexpected(gpu.error());
    for (const auto& [name, value] : gpu_sizes(*gpu)) sizes[name] = value;
    lanes = gpu->wave_lanes;
  }
  if (check.xcds != 0) sizes["num_xcds"] = check.xcds;
  const auto tiles = order_of(check.map, "--map", instance->grid, sizes);
  if (!tiles) return tl::unexpected(tiles.error());
  Answer answer{instance->grid, inspect_map(instance->grid, *tiles), std::nullopt};
  if (!answer.map.bijective) return answer;
  const auto original = TritonKernel::open(*the_case, variant);
  if (!original) return tl::unexpected(original.error());
  const auto text = read_file(request.rewritten, kMaxIrBytes);
  if (!text) return tl::unexpected(text.error());
  const auto rewritten = TritonKernel::read(*the_case, *text, request.rewritten);
  if (!rewritten) return tl::unexpected(rewritten.error());
  auto compared = compare_accesses(*original, *rewritten, *instance, *tiles, lanes);
  if (!compared) return tl::unexpected(compared.error());
  answer.accesses = std::move(*compared);
  return answer;
}

void print_answer(const Answer& answer, bool json) {
  const int64_t programs = answer.grid.size();
  if (json) {
    Json out = {{"bijective", answer.map.bijective}, {"programs", programs}, {"missing", answer.map.missing}};
    out["programs_compared"] = answer.accesses ? answer.accesses->compared : 0;
    out["equal_accesses"] = answer.accesses && answer.accesses->equal;
    out["difference"] = answer.accesses && !answer.accesses->equal ? Json(answer.accesses->difference) : Json(nullptr);
    fmt::print("{}", print(out));
    return;
  }
  if (!answer.accesses) {
    fmt::print("NOT a bijection on grid {}: {} of {} tiles are never done\n", to_string(answer.grid),
               answer.map.missing, programs);
  } else if (answer.accesses->equal) {
    fmt::print("bijective on grid {}; {} of {} programs compared, access by access: equal\n", to_string(answer.grid),
               answer.accesses->compared, programs);
  } else {
    fmt::print("bijective on grid {}, but the accesses DIFFER: {}\n", to_string(answer.grid),
               answer.accesses->difference);
  }
}

}  // namespace

int check_triton(const CheckRequest& check, const TritonCheckRequest& request, bool json) {
  const auto answer = find_answer(check, request);
  if (!answer) return report_error(answer.error());
  print_answer(*answer, json);
  return answer->accesses && answer->accesses->equal ? 0 : 1;
}

}  // namespace swizzleperf

#include "cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <future>
#include <numeric>

#include "base/process.h"
#include "frontend/clike/occupancy.h"
#include "frontend/clike/types.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {

Sizes gpu_sizes(const GpuSpec& gpu) {
  return {{"num_xcds", gpu.domains}, {"cus_per_xcd", gpu.cus_per_domain}};
}

Expected<Sizes> parse_sizes(const std::vector<std::string>& texts) {
  Sizes sizes;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = equals == std::string::npos ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                                    : std::from_chars(text.data() + equals + 1, end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || equals == 0 || value < 1)
      return user_error(fmt::format("'{}' is no size", text), {"--size"}, "write NAME=VALUE, a positive whole number");
    if (!sizes.emplace(text.substr(0, equals), value).second)
      return user_error(fmt::format("the size '{}' is given twice", text.substr(0, equals)), {"--size"});
  }
  return sizes;
}

void add_request_options(CLI::App& verb, Request& request) {
  verb.add_option("case", request.case_file, "Case file")->required();
  verb.add_option("--gpu", request.gpu, "GPU name or TOML file; mi300x:cpx,cus=32 for a part of one")->required();
  verb.add_option("--variant", request.variant, "Variant of the case; default: the case's own");
  verb.add_option("--size", request.sizes, "NAME=VALUE: a size of the case, instead of the variant's")
      ->allow_extra_args(false);
}

Expected<KernelInfo> read_source(const Case& the_case, const StageCallback& on_stage) {
  on_stage("reading the kernel's source");
  auto kernel = analyse_source(the_case);
  if (!kernel) return kernel;
  if (auto status = check_arguments(the_case, *kernel); !status) return tl::unexpected(status.error());
  return kernel;
}

namespace {

// What a kernel touches, and the source that it was found from.
struct Understood {
  Workload workload;
  std::optional<KernelInfo> kernel;
  std::optional<TracedKernel> traced;
  std::optional<TritonKernel> triton;
};

// Occupancy depends on a case's sizes by the block and the shared memory only.
bool same_resources(const CaseInstance& a, const CaseInstance& b) {
  return a.block == b.block && a.shared_bytes == b.shared_bytes && a.occupancy == b.occupancy;
}

Expected<Understood> understand_source(const Case& the_case, const CaseInstance& instance, const GpuSpec& gpu,
                                       const StageCallback& on_stage, const Session* same_source) {
  Understood result;
  if (same_source != nullptr) {
    result.kernel = same_source->kernel;
    result.traced = same_source->traced;
  } else {
    auto kernel = read_source(the_case, on_stage);
    if (!kernel) return tl::unexpected(kernel.error());
    result.kernel = std::move(*kernel);
  }
  // The device compilation for the occupancy and the CPU compilation do not need each other.
  auto occupancy = std::async(std::launch::async, [&]() -> OccupancyEstimate {
    if (same_source != nullptr && same_resources(same_source->instance, instance))
      return {same_source->workload.occupancy, same_source->workload.occupancy_source};
    return find_occupancy(the_case, instance, *result.kernel, gpu);
  });
  if (!result.traced) {
    on_stage("compiling the kernel for the CPU");
    auto traced = TracedKernel::compile(the_case, *result.kernel, result.kernel->source);
    if (!traced) return tl::unexpected(traced.error());
    result.traced = std::move(*traced);
  }
  on_stage("running workgroups on the CPU");
  auto workload = trace_workload(*result.traced, instance, gpu.wave_lanes);
  if (!workload) return tl::unexpected(workload.error());
  result.workload = std::move(*workload);
  const OccupancyEstimate found = occupancy.get();
  result.workload.occupancy = found.workgroups_per_cu;
  result.workload.occupancy_source = found.source;
  return result;
}

Expected<Understood> understand_triton(const Case& the_case, const std::string& variant, const CaseInstance& instance,
                                       const GpuSpec& gpu, const StageCallback& on_stage) {
  on_stage("reading the kernel's IR");
  auto kernel = TritonKernel::open(the_case, variant);
  if (!kernel) return tl::unexpected(kernel.error());
  on_stage("evaluating programs");
  auto workload = triton_workload(*kernel, instance, gpu);
  if (!workload) return tl::unexpected(workload.error());
  const OccupancyEstimate found = triton_occupancy(instance, gpu);
  workload->occupancy = found.workgroups_per_cu;
  workload->occupancy_source = found.source;
  Understood result;
  result.workload = std::move(*workload);
  result.triton = std::move(*kernel);
  return result;
}

}  // namespace

Expected<Workload> declared_workload(const Case& the_case, const CaseInstance& instance, const GpuSpec& gpu) {
  auto workload = the_case.declared->workload(instance, gpu.wave_lanes);
  if (!workload) return workload;
  if (instance.occupancy) {
    workload->occupancy = *instance.occupancy;
    workload->occupancy_source =
        instance.occupancy_source.empty() ? "stated by the case" : "stated by the case: " + instance.occupancy_source;
  } else {
    workload->occupancy = occupancy(gpu, instance.block.size(), {.shared_bytes = instance.shared_bytes});
    workload->occupancy_source = "assumed from wave slots and shared memory";
  }
  return workload;
}

Expected<OpenCase> open_case(const Request& request, const StageCallback& on_stage) {
  on_stage("reading the case");
  auto gpu = load_gpu(request.gpu);
  if (!gpu) return tl::unexpected(gpu.error());
  const auto overrides = parse_sizes(request.sizes);
  if (!overrides) return tl::unexpected(overrides.error());
  auto the_case = load_case(request.case_file);
  if (!the_case) return tl::unexpected(the_case.error());
  const std::string& variant = request.variant.empty() ? the_case->default_variant : request.variant;
  auto instance = the_case->instance(variant, *overrides);
  if (!instance) return tl::unexpected(instance.error());
  Sizes sizes = instance->sizes;
  for (const auto& [name, value] : gpu_sizes(*gpu)) sizes[name] = value;
  return OpenCase{std::move(*the_case), std::move(*instance), std::move(*gpu), std::move(sizes)};
}

Expected<Session> open_session(const Request& request, const StageCallback& on_stage, const Session* same_source) {
  auto open = open_case(request, on_stage);
  if (!open) return tl::unexpected(open.error());
  const Case& the_case = open->the_case;
  auto understood = [&]() -> Expected<Understood> {
    if (the_case.triton()) {
      const std::string& variant = request.variant.empty() ? the_case.default_variant : request.variant;
      return understand_triton(the_case, variant, open->instance, open->gpu, on_stage);
    }
    if (!the_case.declared) return understand_source(the_case, open->instance, open->gpu, on_stage, same_source);
    auto workload = declared_workload(the_case, open->instance, open->gpu);
    if (!workload) return tl::unexpected(workload.error());
    return Understood{std::move(*workload), {}, {}, {}};
  }();
  if (!understood) return tl::unexpected(understood.error());
  on_stage("building the model");
  auto model = Model::create(understood->workload, open->gpu);
  if (!model) return tl::unexpected(model.error());
  return Session{std::move(open->the_case),
                 std::move(open->instance),
                 std::move(open->gpu),
                 std::move(understood->kernel),
                 std::move(understood->traced),
                 std::move(understood->triton),
                 std::move(understood->workload),
                 std::move(*model),
                 std::move(open->map_sizes)};
}

Expected<Order> order_of(const std::string& map, const std::string& name, const Grid& grid, const Sizes& sizes) {
  if (map.empty()) {
    Order order(static_cast<size_t>(grid.size()));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const auto expr = SwizzleExpr::parse(map, name);
  if (!expr) return tl::unexpected(expr.error());
  return evaluate_map(*expr, grid, sizes);
}

int report_error(const Error& error) {
  if (interrupted()) {
    fmt::print(stderr, "interrupted: nothing was written\n");
  } else {
    fmt::print(stderr, "{}\n", describe(error));
  }
  return exit_code(error);
}

StageLine::StageLine(bool enabled) : enabled_(enabled && ::isatty(STDERR_FILENO) == 1) {}

StageLine::~StageLine() {
  clear();
}

void StageLine::clear() {
  if (!enabled_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void StageLine::show(const std::string& stage) {
  if (!enabled_) return;
  fmt::print(stderr, "\r\033[K{} ...", stage);
  std::fflush(stderr);
}

}  // namespace swizzleperf

#include "measure/job.h"

#include "workload/fill.h"
#include "workload/npy.h"

namespace swizzleperf {
namespace {

Expected<runner::JobArgument> job_argument(const Argument& a) {
  runner::JobArgument result{.buffer = a.buffer,
                             .dtype = a.dtype,
                             .elements = a.elements,
                             .init = {.kind = static_cast<ContentsRule::Kind>(a.init.kind),
                                      .seed = a.init.seed,
                                      .low = a.init.low,
                                      .high = a.init.high},
                             .output = a.output,
                             .poisoned = a.poisoned,
                             .tolerance = a.tolerance};
  if (!a.buffer) {
    result.bytes = a.bytes.empty() ? scalar_bytes(a.dtype, a.integer, a.real) : a.bytes;
  } else if (a.init.kind == Init::Kind::kNpy) {
    auto data = read_npy_data(a.init.file);
    if (!data) return tl::unexpected(data.error());
    result.bytes = std::move(*data);
  }
  return result;
}

}  // namespace

Expected<runner::Job> make_job(const Case& the_case, const CaseInstance& instance, const std::string& original,
                               const std::vector<SourceVariant>& variants) {
  runner::Job job;
  job.api = the_case.dialect == Dialect::kCuda ? runner::Api::kCuda : runner::Api::kHip;
  job.file = the_case.source.filename().string();
  job.kernel = the_case.kernel;
  for (const std::string& define : the_case.defines) job.options.push_back("-D" + define);
  for (const auto& folder : the_case.include_folders) job.options.push_back("-I" + folder.string());
  job.options.push_back("-I" + the_case.source.parent_path().string());
  job.grid = {instance.grid.x, instance.grid.y, instance.grid.z};
  job.block = {instance.block.x, instance.block.y, instance.block.z};
  job.shared_bytes = instance.shared_bytes;
  for (const Argument& argument : instance.arguments) {
    auto converted = job_argument(argument);
    if (!converted) return tl::unexpected(converted.error());
    job.arguments.push_back(std::move(*converted));
  }
  job.variants.push_back({"default", original, true});
  for (const SourceVariant& variant : variants) job.variants.push_back({variant.name, variant.source, variant.energy});
  return job;
}

}  // namespace swizzleperf

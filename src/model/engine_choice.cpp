#include "model/engine_choice.h"

#include <fmt/format.h>

namespace swizzleperf {

EngineRequest parse_engine(const std::string& text) {
  if (text == "object") return EngineRequest::kObject;
  return text == "line" ? EngineRequest::kLine : EngineRequest::kAuto;
}

Expected<Engine> choose_engine(EngineRequest request, const Workload& workload, const GpuSpec& gpu) {
  auto doubt = doubt_about_objects(workload, gpu);
  if (request == EngineRequest::kObject)
    return Engine{{}, doubt ? fmt::format("asked for; it may be off: {}", *doubt) : ""};
  if (request == EngineRequest::kAuto && !doubt) return Engine{};
  auto lines = LineModel::create(workload, gpu);
  if (lines) return Engine{std::move(*lines), doubt.value_or("asked for")};
  if (request == EngineRequest::kLine) return tl::unexpected(lines.error());
  return Engine{{}, fmt::format("it may be off: {}; {}", *doubt, lines.error().message)};
}

}  // namespace swizzleperf

// Which engine simulates a workload: objects, or lines where objects may be off.
#pragma once

#include <optional>
#include <string>

#include "model/line_model.h"

namespace swizzleperf {

enum class EngineRequest { kAuto, kObject, kLine };

// "auto", "object" or "line"; kAuto for anything else.
EngineRequest parse_engine(const std::string& text);

struct Engine {
  std::optional<LineModel> line_model;  // where lines are simulated
  std::string reason = {};              // why this one, for people; empty where nothing speaks against objects
  const LineModel* lines() const { return line_model ? &*line_model : nullptr; }
  const char* name() const { return line_model ? "line" : "object"; }
};

// kAuto takes lines where doubt_about_objects() has a reason and they can be simulated; where they cannot, the reason
// says so. kLine fails where they cannot.
Expected<Engine> choose_engine(EngineRequest request, const Workload& workload, const GpuSpec& gpu);

}  // namespace swizzleperf

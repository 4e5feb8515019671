// Measurements as text and JSON, predicted beside measured.
#pragma once

#include <string>

#include "base/error.h"
#include "measure/measurement.h"

namespace swizzleperf {

// The predictions are read from the measurement's note. Internal error where it is not ours.
Expected<std::string> measurement_text(const Measurement& measurement);
Expected<std::string> measurement_json(const Measurement& measurement);

}  // namespace swizzleperf

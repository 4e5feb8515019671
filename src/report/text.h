// Text for a terminal: units, tables, and the sections of a report.
#pragma once

#include <string>
#include <vector>

#include "model/prediction.h"
#include "verify/gate.h"

namespace swizzleperf {

std::string format_bytes(double bytes);        // "1.83 GB", decimal units as profilers print them
std::string format_percent(double fraction);   // "63.5 %"
std::string format_time(double milliseconds);  // "1.87 ms"

// Columns as wide as their widest cell; the first left-aligned, the others right-aligned; the first row is the header.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

// The row of a table of predictions, and its header. LLC columns only where the GPU has one.
std::vector<std::string> prediction_header(const GpuSpec& gpu);
std::vector<std::string> prediction_row(const std::string& name, const Prediction& prediction, const GpuSpec& gpu);

std::string format_gate(const GateReport& report);

}  // namespace swizzleperf

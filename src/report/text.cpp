#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swizzleperf {
namespace {

// Columns that a terminal shows for UTF-8 text without wide characters.
size_t width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// " (49.1-57.3)" where a range was asked for and is one.
std::string hit_range(const Prediction& prediction) {
  const auto span = span_of(prediction, [](const Outcome& o) { return o.l2_hit_rate; });
  if (!span || span->high - span->low < 0.0005) return "";
  return fmt::format(" ({:.1f}-{:.1f})", 100 * span->low, 100 * span->high);
}

std::string time_range(const Prediction& prediction) {
  const auto span = span_of(prediction, [](const Outcome& o) { return o.time_ms; });
  if (!span || span->high < 1.005 * span->low) return "";
  return fmt::format(" ({}-{})", format_time(span->low), format_time(span->high));
}

}  // namespace

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, kUnits.at(unit));
}

std::string format_percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string format_time(double milliseconds) {
  return milliseconds < 0.1 ? fmt::format("{:.1f} us", 1000 * milliseconds) : fmt::format("{:.3f} ms", milliseconds);
}

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      line += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::vector<std::string> prediction_header(const GpuSpec& gpu) {
  std::vector<std::string> row = {"order", "L2 hit", "DRAM read", "DRAM write"};
  if (gpu.llc.bytes > 0) row.emplace_back("LLC hit*");
  row.insert(row.end(), {"balance", "time*", "bound"});
  return row;
}

std::vector<std::string> prediction_row(const std::string& name, const Prediction& prediction, const GpuSpec& gpu) {
  std::vector<std::string> row = {name, format_percent(prediction.l2_hit_rate) + hit_range(prediction),
                                  format_bytes(static_cast<double>(prediction.dram_read_bytes)),
                                  format_bytes(static_cast<double>(prediction.dram_write_bytes))};
  if (gpu.llc.bytes > 0) row.push_back(format_percent(prediction.llc_hit_rate));
  row.push_back(fmt::format("{:.3f}", prediction.balance));
  row.push_back(format_time(prediction.time_ms) + time_range(prediction));
  row.push_back(prediction.bound);
  return row;
}

std::string format_gate(const GateReport& report) {
  std::string text;
  for (const auto& step : report.steps) {
    const char* outcome = step.outcome == GateStep::Outcome::kPassed   ? "passed  "
                          : step.outcome == GateStep::Outcome::kFailed ? "FAILED  "
                                                                       : "not done";
    text += fmt::format("  {}  {}{}{}\n", outcome, step.name, step.detail.empty() ? "" : ": ", step.detail);
  }
  return text;
}

}  // namespace swizzleperf

// What profilers print as CSV: lines of quoted cells between other output, and numbers as people like to read them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swizzleperf {

// Cells of one line; quotes around a cell are taken off, doubled ones inside it become one.
std::vector<std::string> split_csv_line(std::string_view line);

std::vector<std::string_view> split_lines(std::string_view text);  // without line ends

// "1,234,567", "9.858.923,30", "95.41", "1 234", "3,213,881 (33,100; 33,480)": with separators between groups of three
// digits, of whatever kind, and with the values of single instances behind, which are left out. A single comma before
// three digits is a separator, a single point a decimal point, as in English. None where there is no number.
std::optional<double> profiler_number(std::string_view text);

// What a figure with this unit is multiplied with to be in bytes, in nanoseconds, or as it is counted: "Mbyte" 1e6,
// "us" and "usecond" 1e3; 1 for units without a scale.
double unit_factor(std::string_view unit);

// One launch of a kernel and what was counted during it, in base units, by the profiler's names.
struct ProfiledLaunch {
  std::string kernel;
  std::map<std::string, double> figures;
  std::optional<double> figure(const std::string& name) const;
};

}  // namespace swizzleperf

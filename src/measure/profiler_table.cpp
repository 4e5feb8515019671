#include "measure/profiler_table.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace swizzleperf {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Blanks between groups of digits: plain, no-break (U+00A0) and narrow no-break (U+202F), as UTF-8.
std::string without_blanks(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' || text[i] == '\'') continue;
    if (text.substr(i, 2) == "\xC2\xA0") {
      i += 1;
    } else if (text.substr(i, 3) == "\xE2\x80\xAF") {
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

// Position of the decimal separator, npos for none.
size_t decimal_separator(const std::string& text) {
  const size_t comma = text.rfind(','), point = text.rfind('.');
  if (comma != std::string::npos && point != std::string::npos) return std::max(comma, point);
  const size_t only = comma != std::string::npos ? comma : point;
  if (only == std::string::npos || text.find(text[only]) != only) return std::string::npos;  // several: all separate
  if (text[only] == '.') return only;
  const bool group = text.size() - only == 4;  // ",ddd" at the end
  return group ? std::string::npos : only;
}

}  // namespace

std::vector<std::string> split_csv_line(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<double> profiler_number(std::string_view text) {
  std::string plain = without_blanks(text.substr(0, text.find('(')));
  const size_t exponent = plain.find_first_of("eE");
  const std::string tail = exponent == std::string::npos ? "" : plain.substr(exponent);
  plain = plain.substr(0, exponent);
  if (!plain.empty() && plain.front() == '+') plain.erase(0, 1);
  const size_t decimal = decimal_separator(plain);
  std::string digits;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (i == decimal) {
      digits += '.';
    } else if (is_digit(plain[i]) || (plain[i] == '-' && i == 0)) {
      digits += plain[i];
    } else if (plain[i] != ',' && plain[i] != '.') {
      return std::nullopt;
    }
  }
  digits += tail;
  double value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

double unit_factor(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr std::array<Unit, 14> kUnits = {{{"Kbyte", 1e3},
                                                   {"Mbyte", 1e6},
                                                   {"Gbyte", 1e9},
                                                   {"Tbyte", 1e12},
                                                   {"nsecond", 1},
                                                   {"us", 1e3},
                                                   {"usecond", 1e3},
                                                   {"ms", 1e6},
                                                   {"msecond", 1e6},
                                                   {"s", 1e9},
                                                   {"second", 1e9},
                                                   {"Ksector", 1e3},
                                                   {"Msector", 1e6},
                                                   {"Gsector", 1e9}}};
  const auto* found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == unit; });
  return found == kUnits.end() ? 1 : found->factor;
}

std::optional<double> ProfiledLaunch::figure(const std::string& name) const {
  const auto found = figures.find(name);
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace swizzleperf

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <sstream>

#include "cli/sweep.h"

namespace swizzleperf {
namespace {

constexpr size_t kMostPoints = 256;

tl::unexpected<Error> malformed(const std::string& text) {
  return user_error(fmt::format("'{}' is no range of sizes", text), {"--sweep"},
                    "write NAME=FROM:TO:STEP or NAME=A,B,C with positive whole numbers");
}

// The numbers between separators; nothing where one of them is none.
std::optional<std::vector<int64_t>> numbers(const std::string& text, char separator) {
  std::vector<int64_t> result;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, separator);) {
    int64_t value = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != part.data() + part.size() || value < 1) return std::nullopt;
    result.push_back(value);
  }
  return result;
}

Expected<std::vector<std::string>> expand_range(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return malformed(text);
  const std::string name = text.substr(0, equals);
  const std::string values = text.substr(equals + 1);
  const bool stepped = values.find(':') != std::string::npos;
  auto list = numbers(values, stepped ? ':' : ',');
  if (!list || list->empty() || (stepped && (list->size() != 3 || (*list)[0] > (*list)[1]))) return malformed(text);
  if (stepped) {
    const int64_t from = (*list)[0], to = (*list)[1], step = (*list)[2];
    if ((to - from) / step >= static_cast<int64_t>(kMostPoints))
      return user_error(fmt::format("'{}' has more than {} values", text, kMostPoints), {"--sweep"});
    list->clear();
    for (int64_t value = from; value <= to; value += step) list->push_back(value);
  }
  std::vector<std::string> result;
  for (const int64_t value : *list) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

}  // namespace

Expected<std::vector<std::vector<std::string>>> expand_ranges(const std::vector<std::string>& ranges) {
  std::vector<std::vector<std::string>> points = {{}};
  std::set<std::string> names;
  for (const std::string& range : ranges) {
    const auto values = expand_range(range);
    if (!values) return tl::unexpected(values.error());
    if (!names.insert(range.substr(0, range.find('='))).second)
      return user_error(fmt::format("the size '{}' is swept twice", range.substr(0, range.find('='))), {"--sweep"});
    if (points.size() * values->size() > kMostPoints)
      return user_error(fmt::format("the sweep has more than {} points", kMostPoints), {"--sweep"});
    std::vector<std::vector<std::string>> longer;
    for (const auto& point : points) {
      for (const auto& value : *values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace swizzleperf

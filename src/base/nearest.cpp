#include "base/nearest.h"

#include <algorithm>
#include <cctype>

namespace swizzleperf {
namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

int edit_distance(const std::string& a, const std::string& b) {
  // Rows of the table of distances between the first i and the first j characters; two rows back for the swaps.
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 200;  // nobody slips on a longer name, and the table stays small
  if (name.empty() || name.size() > kLongest) return {};
  std::string best;
  int best_distance = static_cast<int>(name.size()) / 3 + 1;
  for (const std::string& each : known) {
    if (each.size() > kLongest) continue;
    const int distance = edit_distance(name, each);
    if (distance > best_distance || (distance == best_distance && !best.empty())) continue;
    best = each;
    best_distance = distance;
  }
  return best;
}

std::string known_names(const std::string& name, const std::vector<std::string>& known, const std::string& label) {
  const std::string near = nearest_name(name, known);
  std::string text = near.empty() ? "" : "did you mean '" + near + "'? ";
  text += label + ":";
  for (size_t i = 0; i < known.size(); ++i) text += (i == 0 ? " " : ", ") + known[i];
  return text;
}

}  // namespace swizzleperf

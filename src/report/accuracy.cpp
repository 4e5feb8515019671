#include "report/accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace swizzleperf {
namespace {

constexpr double kApart = 2;  // points or percent

// How far a is above b, in points or in percent of the smaller.
double distance(double a, double b, Metric metric) {
  return metric == Metric::kL2HitPercent ? a - b : 100 * (a - b) / std::max(1.0, std::min(a, b));
}
// A high hit rate is good, many bytes are not.
bool better(double a, double b, Metric metric) {
  return metric == Metric::kL2HitPercent ? a > b : a < b;
}

int sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

// Kendall's tau-b of two lists.
std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double agree = 0, pairs_a = 0, pairs_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = i + 1; j < a.size(); ++j) {
      const int x = sign(a[i] - a[j]), y = sign(b[i] - b[j]);
      agree += x * y;
      pairs_a += x * x;
      pairs_b += y * y;
    }
  }
  if (pairs_a == 0 || pairs_b == 0) return std::nullopt;
  return agree / std::sqrt(pairs_a * pairs_b);
}

// The bijective maps of a kernel that differ as functions, each with the mean over its rows.
struct Choice {
  double measured = 0, predicted = 0;
  double rows = 0;
};
std::vector<Choice> choices(const std::vector<AccuracyRow>& rows) {
  std::map<uint64_t, Choice> by_function;
  for (const AccuracyRow& row : rows) {
    if (!row.bijective) continue;
    Choice& choice = by_function[row.function];
    choice.measured += row.mean();
    choice.predicted = row.predicted;
    ++choice.rows;
  }
  std::vector<Choice> list;
  for (auto& [function, choice] : by_function) {
    choice.measured /= choice.rows;
    list.push_back(choice);
  }
  return list;
}

void judge_pairs(const std::vector<AccuracyRow>& rows, Metric metric, KernelAccuracy& result) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i + 1; j < rows.size(); ++j) {
      const double measured = distance(rows[i].mean(), rows[j].mean(), metric);
      if (std::abs(measured) <= kApart) continue;
      ++result.pairs;
      result.pairs_right += sign(measured) == sign(rows[i].predicted - rows[j].predicted) ? 1 : 0;
    }
  }
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

bool overlap(const std::vector<double>& a, const std::vector<double>& b) {
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  return *a_low <= *b_high && *b_low <= *a_high;
}

void judge_told_apart(const std::vector<AccuracyRow>& rows, KernelAccuracy& result) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i + 1; j < rows.size(); ++j) {
      if (rows[i].gains.empty() || rows[j].gains.empty() || overlap(rows[i].gains, rows[j].gains)) continue;
      const double measured = mean_of(rows[i].gains) - mean_of(rows[j].gains);
      if (std::abs(measured) <= kApart) continue;
      ++result.told_apart;
      result.told_apart_right += sign(measured) == sign(rows[i].predicted - rows[j].predicted) ? 1 : 0;
    }
  }
}

}  // namespace

double AccuracyRow::mean() const {
  return mean_of(measured);
}

double AccuracyRow::error(Metric metric) const {
  const double difference = std::abs(predicted - mean());
  return metric == Metric::kL2HitPercent ? difference : 100 * difference / std::max(1.0, mean());
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

ErrorSummary summarise(const std::vector<double>& errors) {
  return {errors.size(), quantile(errors, 0.5), quantile(errors, 0.75), quantile(errors, 0.9), quantile(errors, 1)};
}

KernelAccuracy kernel_accuracy(const std::vector<AccuracyRow>& rows, Metric metric) {
  KernelAccuracy result;
  if (rows.empty()) return result;
  result.kernel = rows.front().kernel;
  std::vector<double> errors, measured, predicted;
  for (const AccuracyRow& row : rows) {
    errors.push_back(row.error(metric));
    measured.push_back(row.mean());
    predicted.push_back(row.predicted);
    result.in_range += row.mean() >= row.low && row.mean() <= row.high ? 1 : 0;
    const auto shift = [&](double other) { return std::abs(distance(other, row.predicted, metric)); };
    if (row.predicted_half > 0) result.half_shift = std::max(result.half_shift, shift(row.predicted_half));
    if (row.predicted_double > 0) result.double_shift = std::max(result.double_shift, shift(row.predicted_double));
  }
  result.errors = summarise(errors);
  const auto [least, most] = std::minmax_element(measured.begin(), measured.end());
  result.spread = distance(*most, *least, metric);
  if (rows.size() >= 3) result.kendall = kendall_tau(measured, predicted);
  judge_pairs(rows, metric, result);
  judge_told_apart(rows, result);
  const std::vector<Choice> list = choices(rows);
  result.has_choice = list.size() >= 2;
  if (list.empty()) return result;
  const auto by = [&](double Choice::* figure) {
    return *std::min_element(list.begin(), list.end(),
                             [&](const Choice& a, const Choice& b) { return better(a.*figure, b.*figure, metric); });
  };
  const Choice chosen = by(&Choice::predicted), best = by(&Choice::measured);
  result.best_right = std::abs(distance(chosen.measured, best.measured, metric)) <= kApart;
  return result;
}

std::vector<SideAccuracy> side_accuracy(const std::vector<AccuracyRow>& rows) {
  std::vector<SideAccuracy> result;
  std::vector<std::vector<double>> measured, predicted;
  for (const AccuracyRow& row : rows) {
    for (const SideFigure& figure : row.side_figures) {
      const auto same =
          std::find_if(result.begin(), result.end(), [&](const auto& s) { return s.name == figure.name; });
      const auto at = static_cast<size_t>(same - result.begin());
      if (same == result.end()) {
        result.push_back({.name = figure.name});
        measured.emplace_back();
        predicted.emplace_back();
      }
      measured[at].push_back(figure.measured);
      predicted[at].push_back(figure.predicted);
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    const auto range = [](const std::vector<double>& values) {
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      return std::pair(*low, *high);
    };
    result[i].rows = measured[i].size();
    std::tie(result[i].measured_low, result[i].measured_high) = range(measured[i]);
    std::tie(result[i].predicted_low, result[i].predicted_high) = range(predicted[i]);
    std::vector<double> errors;
    for (size_t k = 0; k < measured[i].size(); ++k) errors.push_back(std::abs(predicted[i][k] - measured[i][k]));
    result[i].median_error = quantile(errors, 0.5);
    if (measured[i].size() >= 3) result[i].kendall = kendall_tau(measured[i], predicted[i]);
  }
  return result;
}

std::vector<std::vector<AccuracyRow>> rows_by_kernel(const AccuracyReport& report, bool core_only) {
  std::vector<std::vector<AccuracyRow>> groups;
  for (const AccuracyRow& row : report.rows) {
    if (!row.left_out.empty() || (core_only && !row.core)) continue;
    if (groups.empty() || groups.back().front().kernel != row.kernel) groups.emplace_back();
    groups.back().push_back(row);
  }
  return groups;
}

}  // namespace swizzleperf

#include "measure/statistics.h"

#include <algorithm>
#include <random>

namespace swizzleperf {
namespace {

constexpr int kResamples = 2000;
constexpr double kTail = 0.025;

}  // namespace

std::optional<double> Counters::l2_hit_rate() const {
  if (!l2_requests || !l2_hits || *l2_requests <= 0) return std::nullopt;
  return static_cast<double>(*l2_hits) / static_cast<double>(*l2_requests);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Ratio ratio_of_medians(const std::vector<double>& baseline, const std::vector<double>& other) {
  const double ratio = median(baseline) / median(other);
  Ratio result{.value = ratio, .low = ratio, .high = ratio};
  if (baseline.size() < 2) return result;
  std::mt19937_64 random(baseline.size());
  std::uniform_int_distribution<size_t> round(0, baseline.size() - 1);
  std::vector<double> drawn_baseline(baseline.size()), drawn_other(baseline.size());
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    for (size_t k = 0; k < baseline.size(); ++k) {
      const size_t from = round(random);
      drawn_baseline[k] = baseline[from];
      drawn_other[k] = other[from];
    }
    ratios.push_back(median(drawn_baseline) / median(drawn_other));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto rank = static_cast<size_t>(kTail * kResamples);
  result.low = std::min(ratio, ratios[rank]);
  result.high = std::max(ratio, ratios[kResamples - 1 - rank]);
  return result;
}

}  // namespace swizzleperf

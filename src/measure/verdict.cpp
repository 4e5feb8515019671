#include "measure/verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace swizzleperf {
namespace {

constexpr double kConfirmAbove = 2;
constexpr double kMoves = 0.05;  // of the bytes: what counts as a change

// -1 fewer, 0 about as many, 1 more.
int change(double before, double after) {
  if (after < before * (1 - kMoves)) return -1;
  return after > before * (1 + kMoves) ? 1 : 0;
}

// Whether the counted bytes moved as predicted; true where nothing was counted.
bool traffic_moved(const Measurement& m, const std::vector<PredictedTraffic>& predicted, size_t index) {
  const auto &before = m.variants[0].counters, &after = m.variants[index].counters;
  if (!before || !after || !before->dram_read_bytes || !after->dram_read_bytes) return true;
  return change(static_cast<double>(predicted[0].dram_read_bytes),
                static_cast<double>(predicted[index].dram_read_bytes)) ==
         change(static_cast<double>(*before->dram_read_bytes), static_cast<double>(*after->dram_read_bytes));
}

}  // namespace

MeasuredVerdict judge(const Measurement& m, const std::vector<PredictedTraffic>& predicted) {
  MeasuredVerdict result{.verdict = "no gain", .reason = ""};
  if (m.variants.size() <= kFirstOther || predicted.size() != m.variants.size()) return result;
  const double noise = m.variants[1].cold.high;
  std::string unexplained;
  for (size_t i = kFirstOther; i < m.variants.size(); ++i) {
    const VariantMeasurement& variant = m.variants[i];
    if (!variant.equal || !variant.cold.faster() || variant.cold.low <= noise || variant.warm.slower()) continue;
    if (!traffic_moved(m, predicted, i)) {
      unexplained = variant.name;
    } else if (result.chosen < 0 || variant.cold.value > m.variants[static_cast<size_t>(result.chosen)].cold.value) {
      result.chosen = static_cast<int>(i);
    }
  }
  if (result.chosen < 0) {
    result.reason = unexplained.empty()
                        ? "measured: no order is faster than the launch order beyond the noise"
                        : fmt::format(
                              "measured: '{}' is faster, but its DRAM bytes did not move as predicted: the "
                              "caches are not what made it faster",
                              unexplained);
    return result;
  }
  const VariantMeasurement& best = m.variants[static_cast<size_t>(result.chosen)];
  result.verdict = "apply";
  result.confirm = best.cold.value > kConfirmAbove;
  result.reason = fmt::format("measured: '{}' runs {:.3f} times as fast [{:.3f}, {:.3f}], {:.3f} warm", best.name,
                              best.cold.value, best.cold.low, best.cold.high, best.warm.value);
  return result;
}

}  // namespace swizzleperf

// The report on accuracy as Markdown and as CSV.
#include <fmt/format.h>

#include <algorithm>

#include "report/accuracy.h"

namespace swizzleperf {
namespace {

std::string figure(double value, Metric metric) {
  return metric == Metric::kL2HitPercent ? fmt::format("{:.1f}", value) : fmt::format("{:.3f}", value / 1e9);
}

// What the rows of one GPU come to, over all kernels.
struct Totals {
  ErrorSummary all, varied;  // varied: rows of kernels whose measured spread exceeds 2
  size_t pairs = 0, pairs_right = 0, choices = 0, best_right = 0;
  size_t told_apart = 0, told_apart_right = 0, in_range = 0;
  bool ranges = false;  // were asked for
};

Totals totals_of(const std::vector<std::vector<AccuracyRow>>& groups, Metric metric) {
  Totals totals;
  std::vector<double> all, varied;
  for (const auto& rows : groups) {
    const KernelAccuracy kernel = kernel_accuracy(rows, metric);
    for (const AccuracyRow& row : rows) {
      all.push_back(row.error(metric));
      if (kernel.spread > 2) varied.push_back(row.error(metric));
    }
    totals.pairs += kernel.pairs;
    totals.pairs_right += kernel.pairs_right;
    totals.told_apart += kernel.told_apart;
    totals.told_apart_right += kernel.told_apart_right;
    totals.in_range += kernel.in_range;
    for (const AccuracyRow& row : rows) totals.ranges = totals.ranges || row.high > 0;
    totals.choices += kernel.has_choice ? 1 : 0;
    totals.best_right += kernel.has_choice && kernel.best_right ? 1 : 0;
  }
  totals.all = summarise(all);
  totals.varied = summarise(varied);
  return totals;
}

double percent(size_t part, size_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 100;
}

std::string target_line(const char* what, const std::string& reached, const char* required, bool meets_required,
                        const char* goal, bool meets_goal) {
  return fmt::format("| {} | {} | {}: {} | {}: {} |\n", what, reached, required, meets_required ? "met" : "MISSED",
                     goal, meets_goal ? "met" : "MISSED");
}

std::string targets(const Totals& t, Metric metric) {
  std::string text = "| | reached | required | goal |\n|---|---|---|---|\n";
  if (metric == Metric::kL2HitPercent) {
    text += target_line("median error, points", fmt::format("{:.2f}", t.all.median), "1.5", t.all.median <= 1.5, "1.0",
                        t.all.median <= 1);
    text += target_line("90th percentile, points", fmt::format("{:.2f}", t.all.p90), "11", t.all.p90 <= 11, "8",
                        t.all.p90 <= 8);
    text += target_line("median where a kernel's maps differ by more than 2 points",
                        fmt::format("{:.2f}", t.varied.median), "4", t.varied.median <= 4, "3", t.varied.median <= 3);
    const double pairs = percent(t.pairs_right, t.pairs);
    text += target_line("pairs of a kernel's maps more than 2 points apart, ordered right",
                        fmt::format("{} of {}, {:.0f} %", t.pairs_right, t.pairs, pairs), "83 %", pairs >= 83, "90 %",
                        pairs >= 90);
    const double best = percent(t.best_right, t.choices);
    text +=
        fmt::format("| of the pairs that repeats tell apart (see below), ordered right | {} of {}, {:.0f} % | | |\n",
                    t.told_apart_right, t.told_apart, percent(t.told_apart_right, t.told_apart));
    text += target_line("best bijective map within 2 points of the measured best",
                        fmt::format("{} of {} kernels, {:.0f} %", t.best_right, t.choices, best), "80 %", best >= 80,
                        "90 %", best >= 90);
    return text;
  }
  text += target_line("median error", fmt::format("{:.2f} %", t.all.median), "3 %", t.all.median <= 3, "2 %",
                      t.all.median <= 2);
  text += target_line("75th percentile", fmt::format("{:.2f} %", t.all.p75), "15 %", t.all.p75 <= 15, "8 %",
                      t.all.p75 <= 8);
  text += target_line("best order within 2 % of the measured best",
                      fmt::format("{} of {} kernels", t.best_right, t.choices), "all", t.best_right == t.choices, "all",
                      t.best_right == t.choices);
  return text;
}

std::string kernel_table(const std::vector<std::vector<AccuracyRow>>& groups, Metric metric) {
  std::string text =
      "| kernel | maps | median error | worst | measured spread | Kendall's tau | pairs right | best map | occupancy "
      "x0.5 | x2 |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& rows : groups) {
    const KernelAccuracy k = kernel_accuracy(rows, metric);
    text += fmt::format("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {} | {} | {} | {:.1f} | {:.1f} |\n", k.kernel,
                        k.errors.rows, k.errors.median, k.errors.worst, k.spread,
                        k.kendall ? fmt::format("{:.2f}", *k.kendall) : "",
                        k.pairs > 0 ? fmt::format("{} of {}", k.pairs_right, k.pairs) : "",
                        k.has_choice ? (k.best_right ? "right" : "WRONG") : "", k.half_shift, k.double_shift);
  }
  return text;
}

// Rows whose measured mean lies in the range, or 1 (point, percent) outside at most.
size_t near_range(const std::vector<std::vector<AccuracyRow>>& groups, Metric metric) {
  size_t near = 0;
  for (const auto& rows : groups) {
    for (const AccuracyRow& row : rows) {
      const double margin = metric == Metric::kL2HitPercent ? 1 : 0.01 * row.mean();
      near += row.mean() >= row.low - margin && row.mean() <= row.high + margin ? 1 : 0;
    }
  }
  return near;
}

std::string side_table(const std::vector<std::vector<AccuracyRow>>& groups) {
  std::string text;
  for (const auto& rows : groups) {
    for (const SideAccuracy& s : side_accuracy(rows)) {
      text += fmt::format("| {} | {} | {} | {:.4g} to {:.4g} | {:.4g} to {:.4g} | {:.3g} | {} |\n", rows.front().kernel,
                          s.name, s.rows, s.predicted_low, s.predicted_high, s.measured_low, s.measured_high,
                          s.median_error, s.kendall ? fmt::format("{:.2f}", *s.kendall) : "");
    }
  }
  if (text.empty()) return text;
  return "| kernel | figure | maps | predicted | measured | median error | Kendall's tau "
         "|\n|---|---|---|---|---|---|---|\n" +
         text;
}

std::string row_table(const AccuracyReport& report) {
  std::string text =
      "| kernel | map | predicted | range | measured | measurements | error | |\n|---|---|---|---|---|---|---|---|\n";
  for (const AccuracyRow& row : report.rows) {
    const auto [least, most] = std::minmax_element(row.measured.begin(), row.measured.end());
    const std::string range = *least == *most
                                  ? fmt::format("{}", row.measured.size())
                                  : fmt::format("{}: {} to {}", row.measured.size(), figure(*least, report.metric),
                                                figure(*most, report.metric));
    std::string note = row.core ? "" : "not core";
    if (!row.bijective) note += note.empty() ? "not a bijection" : ", not a bijection";
    if (!row.left_out.empty()) {
      text += fmt::format("| {} | {} | | | {} | {} | | {} |\n", row.kernel, row.map, figure(row.mean(), report.metric),
                          range, row.left_out);
      continue;
    }
    const std::string predicted_range =
        row.high > row.low ? fmt::format("{} to {}", figure(row.low, report.metric), figure(row.high, report.metric))
                           : "";
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {:.1f} | {} |\n", row.kernel, row.map,
                        figure(row.predicted, report.metric), predicted_range, figure(row.mean(), report.metric), range,
                        row.error(report.metric), note);
  }
  return text;
}

}  // namespace

std::string accuracy_markdown(const std::vector<AccuracyReport>& reports) {
  std::string text;
  for (const AccuracyReport& report : reports) {
    const bool hits = report.metric == Metric::kL2HitPercent;
    const auto core = rows_by_kernel(report, true);
    const auto all = rows_by_kernel(report, false);
    const Totals core_totals = totals_of(core, report.metric), all_totals = totals_of(all, report.metric);
    text += fmt::format("## {}: {}\n\nErrors are absolute, in {}. Core rows: {}.\n\n{}\n", report.gpu,
                        hits ? "L2 hit rate in percent" : "bytes read from DRAM, in GB",
                        hits ? "points" : "percent of the measured bytes", core_totals.all.rows,
                        targets(core_totals, report.metric));
    if (core_totals.ranges)
      text += fmt::format(
          "Ranges: {} of {} core rows lie in the range of their prediction, {} of {} in it or within 1 {} of it.\n\n",
          core_totals.in_range, core_totals.all.rows, near_range(core, report.metric), core_totals.all.rows,
          hits ? "point" : "percent");
    text += fmt::format(
        "All {} predicted rows: median {:.2f}, 90th percentile {:.2f}, worst {:.1f}; pairs ordered right {} of {}.\n\n",
        all_totals.all.rows, all_totals.all.median, all_totals.all.p90, all_totals.all.worst, all_totals.pairs_right,
        all_totals.pairs);
    text += fmt::format(
        "By kernel (the last two columns: the largest change of a prediction with half and twice the "
        "occupancy):\n\n{}\n",
        kernel_table(all, report.metric));
    const std::string side = side_table(all);
    if (!side.empty())
      text += fmt::format("Other figures (least to most over a kernel's maps; Kendall's tau of their order):\n\n{}\n",
                          side);
    text += fmt::format("Every row:\n\n{}\n", row_table(report));
  }
  while (text.size() > 1 && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

std::string accuracy_csv(const std::vector<AccuracyReport>& reports) {
  std::string text =
      "gpu,kernel,map,core,bijective,metric,measurements,measured_mean,predicted,error,predicted_occupancy_half,"
      "predicted_occupancy_double,predicted_low,predicted_high,left_out\n";
  for (const AccuracyReport& report : reports) {
    const bool hits = report.metric == Metric::kL2HitPercent;
    for (const AccuracyRow& row : report.rows) {
      const bool predicted = row.left_out.empty();
      const auto cell = [&](double value) {
        return !predicted ? std::string() : hits ? fmt::format("{:.3f}", value) : fmt::format("{:.0f}", value);
      };
      text += fmt::format("{},{},{},{},{},{},{},{:.3f},{},{},{},{},{},{},\"{}\"\n", report.gpu, row.kernel, row.map,
                          row.core, row.bijective, hits ? "l2_hit_percent" : "dram_read_bytes", row.measured.size(),
                          row.mean(), cell(row.predicted),
                          predicted ? fmt::format("{:.3f}", row.error(report.metric)) : "", cell(row.predicted_half),
                          cell(row.predicted_double), cell(row.low), cell(row.high), row.left_out);
    }
  }
  return text;
}

}  // namespace swizzleperf

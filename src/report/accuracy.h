// How far predictions are from measurements: one row a (kernel, map), statistics over rows, kernels and pairs of maps.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace swizzleperf {

// What was measured, and how an error is counted.
enum class Metric {
  kL2HitPercent,   // error in points; two maps differ when they are more than 2 points apart
  kDramReadBytes,  // error in percent of the measured bytes; two maps differ when they are more than 2 % apart
};

// A further figure of a row that was measured and predicted: an LLC hit rate, a time.
struct SideFigure {
  std::string name;  // with its unit
  double measured = 0, predicted = 0;
};

struct AccuracyRow {
  std::string kernel;  // KERNEL.CONFIG: the name of its case file
  std::string map;     // id; the kernel's own order is "baseline"
  bool core = false;
  bool bijective = true;
  uint64_t function = 0;         // hash of launch id -> tile: equal maps are one choice
  std::vector<double> measured;  // every measurement, in percent or bytes
  double predicted = 0;
  double predicted_half = 0;  // with half and twice the occupancy; 0 when not asked for
  double predicted_double = 0;
  std::string left_out;  // why a row has no prediction; empty: it has one
  // Each measurement less that of the kernel's own order in the same session, where sessions are known.
  std::vector<double> gains = {};
  double low = 0, high = 0;  // the prediction's range; both 0 when not asked for
  std::vector<SideFigure> side_figures = {};

  double mean() const;                // of the measurements
  double error(Metric metric) const;  // absolute
};

// Over sorted values, 0 <= q <= 1; linear between neighbours. 0 for none.
double quantile(std::vector<double> values, double q);

struct ErrorSummary {
  size_t rows = 0;
  double median = 0, p75 = 0, p90 = 0, worst = 0;
};
ErrorSummary summarise(const std::vector<double>& errors);

struct KernelAccuracy {
  std::string kernel;
  ErrorSummary errors;
  double spread = 0;                  // largest minus smallest measured mean; points, or percent of the smallest
  std::optional<double> kendall;      // tau-b of predicted and measured order of the maps; with three or more maps
  size_t pairs = 0, pairs_right = 0;  // pairs of maps that differ when measured; ordered alike when predicted
  // The same of the pairs that repeats tell apart: gains over the own order of the same session, more than 2 apart in
  // the mean, that do not overlap.
  size_t told_apart = 0, told_apart_right = 0;
  size_t in_range = 0;      // rows whose measured mean lies in the prediction's range
  bool has_choice = false;  // two or more different bijective maps
  bool best_right = false;  // the map predicted best is measured best, or within 2 (points, percent) of it
  double half_shift = 0, double_shift = 0;  // largest change of a prediction with half and twice the occupancy
};
// `rows` are of one kernel and all predicted.
KernelAccuracy kernel_accuracy(const std::vector<AccuracyRow>& rows, Metric metric);

// One side figure over the maps of one kernel.
struct SideAccuracy {
  std::string name;
  size_t rows = 0;
  double measured_low = 0, measured_high = 0;
  double predicted_low = 0, predicted_high = 0;
  double median_error = 0;
  std::optional<double> kendall = std::nullopt;  // with three or more maps, unless all are measured or predicted equal
};
// `rows` are of one kernel; figures in the order in which they first come.
std::vector<SideAccuracy> side_accuracy(const std::vector<AccuracyRow>& rows);

struct AccuracyReport {
  std::string gpu;
  Metric metric = Metric::kL2HitPercent;
  std::vector<AccuracyRow> rows;  // grouped by kernel
};

// Rows of the report by kernel, core or all, without those that have no prediction.
std::vector<std::vector<AccuracyRow>> rows_by_kernel(const AccuracyReport& report, bool core_only);

std::string accuracy_markdown(const std::vector<AccuracyReport>& reports);
std::string accuracy_csv(const std::vector<AccuracyReport>& reports);

}  // namespace swizzleperf

// The verb `accuracy`: every measured row of validation folders, predicted and compared.
#include "cli/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>
#include <tuple>

#include "base/file.h"
#include "base/parallel.h"
#include "base/process.h"
#include "cli/session.h"
#include "cli/validation.h"
#include "model/model.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

constexpr const char* kBegin = "<!-- tables begin: written by `make accuracy` -->\n";
constexpr const char* kEnd = "<!-- tables end -->\n";

struct AccuracyOptions {
  std::vector<std::string> folders;
  std::vector<std::string> kernels;
  std::string report_file;
  std::string csv_file;
  bool sensitivity = true;
  int threads = 1;
};

// FNV-1a of launch id -> tile.
uint64_t hash_of(const Order& order) {
  uint64_t hash = 14695981039346656037ULL;
  for (const int32_t tile : order) hash = (hash ^ static_cast<uint32_t>(tile)) * 1099511628211ULL;
  return hash;
}

double figure_of(const Prediction& prediction, Metric metric) {
  return metric == Metric::kL2HitPercent ? 100 * prediction.l2_hit_rate
                                         : static_cast<double>(prediction.dram_read_bytes);
}

double side_figure_of(const Prediction& prediction, const std::string& name) {
  if (name == kTimeFigure) return prediction.time_ms;
  if (name == kSectorFigure) return 100 * prediction.l2_hit_rate;
  if (name == kFabricFigure) return static_cast<double>(prediction.fabric_sectors);
  return 100 * prediction.llc_hit_rate;
}

// The row's own prediction, with its range.
void fill_row(const Prediction& prediction, Metric metric, AccuracyRow& row) {
  row.predicted = figure_of(prediction, metric);
  for (SideFigure& side : row.side_figures) side.predicted = side_figure_of(prediction, side.name);
  const auto range = span_of(prediction, [&](const Outcome& o) {
    return metric == Metric::kL2HitPercent ? 100 * o.l2_hit_rate : static_cast<double>(o.dram_read_bytes);
  });
  if (range) std::tie(row.low, row.high) = std::pair(range->low, range->high);
}

// Predictions of one kernel under all its maps, three occupancies each where asked for; the work is shared by threads.
class KernelRun {
 public:
  KernelRun(ValidationKernel& kernel, Metric metric, const Session& session, const AccuracyOptions& options)
      : kernel_(kernel), metric_(metric), session_(session), options_(options) {}

  Expected<void> run() {
    for (ValidationMap& map : kernel_.maps) {
      if (!map.row.left_out.empty()) continue;
      auto order = order_of(map.text, map.row.map, session_.workload.grid, session_.map_sizes);
      if (!order) return tl::unexpected(order.error());
      map.row.function = hash_of(*order);
      map.row.bijective = inspect_map(session_.workload.grid, *order).bijective;
      orders_.push_back(std::move(*order));
      const int64_t occupancy = session_.workload.occupancy;
      const size_t order_index = orders_.size() - 1;
      jobs_.push_back({order_index, occupancy, nullptr, &map.row});
      if (!options_.sensitivity) continue;
      jobs_.push_back({order_index, std::max<int64_t>(1, occupancy / 2), &map.row.predicted_half});
      jobs_.push_back({order_index, 2 * occupancy, &map.row.predicted_double});
    }
    parallel_for(jobs_.size(), options_.threads, [&](size_t i) {
      const Job& job = jobs_[i];
      const Prediction prediction =
          session_.model.predict(orders_[job.order], {.occupancy = job.occupancy, .range = job.row != nullptr});
      if (job.row != nullptr) {
        fill_row(prediction, metric_, *job.row);
      } else {
        *job.result = figure_of(prediction, metric_);
      }
    });
    if (interrupted()) return user_error("interrupted");
    return {};
  }

 private:
  struct Job {
    size_t order = 0;
    int64_t occupancy = 1;
    double* result = nullptr;    // where the metric's figure goes
    AccuracyRow* row = nullptr;  // instead of that: the whole prediction
  };

  ValidationKernel& kernel_;
  Metric metric_;
  const Session& session_;
  const AccuracyOptions& options_;
  std::vector<Order> orders_;
  std::vector<Job> jobs_;
};

Expected<AccuracyReport> run_folder(const std::string& folder, const AccuracyOptions& options, StageLine& stage) {
  auto set = load_validation(folder);
  if (!set) return tl::unexpected(set.error());
  const auto gpu = load_gpu(set->gpu);
  if (!gpu) return tl::unexpected(gpu.error());
  AccuracyReport report{.gpu = gpu->name, .metric = set->metric, .rows = {}};
  for (ValidationKernel& kernel : set->kernels) {
    const bool chosen = options.kernels.empty() ||
                        std::find(options.kernels.begin(), options.kernels.end(), kernel.name) != options.kernels.end();
    if (!chosen) continue;
    if (!kernel.case_file.empty()) {
      stage.show(fmt::format("{} on {}", kernel.name, gpu->name));
      const auto session =
          open_session({.case_file = kernel.case_file.string(), .gpu = set->gpu, .variant = {}}, [](const auto&) {});
      if (!session) return tl::unexpected(session.error());
      if (auto status = KernelRun(kernel, set->metric, *session, options).run(); !status)
        return tl::unexpected(status.error());
    }
    for (ValidationMap& map : kernel.maps) report.rows.push_back(std::move(map.row));
  }
  return report;
}

// Puts the tables between the marks of a document that has them.
Expected<void> write_report(const std::string& file, const std::string& tables) {
  auto content = read_file(file, size_t{16} << 20);
  if (!content) return tl::unexpected(content.error());
  const size_t begin = content->find(kBegin), end = content->find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return user_error("the report lacks the marks between which the tables go", {file},
                      fmt::format("put these two lines into it:\n{}{}", kBegin, kEnd));
  const size_t first = begin + std::char_traits<char>::length(kBegin);
  return write_file_atomic(file, content->substr(0, first) + "\n" + tables + "\n" + content->substr(end));
}

int run_accuracy(const AccuracyOptions& options) {
  StageLine stage(true);
  std::vector<AccuracyReport> reports;
  for (const std::string& folder : options.folders) {
    auto report = run_folder(folder, options, stage);
    if (!report) return report_error(report.error());
    reports.push_back(std::move(*report));
  }
  stage.clear();
  const std::string tables = accuracy_markdown(reports);
  fmt::print("{}", tables);
  if (!options.report_file.empty()) {
    if (auto status = write_report(options.report_file, tables); !status) return report_error(status.error());
  }
  if (!options.csv_file.empty()) {
    if (auto status = write_file_atomic(options.csv_file, accuracy_csv(reports)); !status)
      return report_error(status.error());
  }
  return 0;
}

}  // namespace

void add_accuracy(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<AccuracyOptions>();
  options->threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  auto* verb = app.add_subcommand("accuracy", "Predict every measured row of validation folders and compare");
  verb->add_option("folders", options->folders, "Folders of measurements, named as the GPU: validation/mi300x")
      ->required();
  verb->add_option("--case", options->kernels, "Only this kernel; may be given several times")->allow_extra_args(false);
  verb->add_option("--report", options->report_file, "Put the tables into this Markdown file, between its marks");
  verb->add_option("--csv", options->csv_file, "Write every row to this CSV file");
  verb->add_flag("!--no-sensitivity", options->sensitivity, "Leave out half and twice the occupancy");
  verb->add_option("--threads", options->threads, "Threads")->check(CLI::Range(1, 1024));
  verb->callback([options, &exit_code] { exit_code = run_accuracy(*options); });
}

}  // namespace swizzleperf

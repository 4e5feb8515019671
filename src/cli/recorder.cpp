#include "cli/recorder.h"

#include <fmt/format.h>

#include <filesystem>

#include "history/fingerprint.h"

namespace swizzleperf {
namespace {

constexpr size_t kEarlierMaps = 12;

void warn(const Error& error) {
  fmt::print(stderr, "warning: this run is not recorded: {}\n", describe(error));
}

RunInfo info_of(const Session& session) {
  std::error_code ignored;
  return {.tool_version = SWIZZLEPERF_VERSION,
          .case_file = std::filesystem::absolute(session.the_case.file, ignored).string(),
          .case_name = session.the_case.name,
          .variant = session.instance.variant,
          .gpu = session.gpu.name,
          .grid = to_string(session.workload.grid),
          .proposer = {},
          .problem = problem_id(session.workload, session.gpu),
          .fingerprint = to_text(fingerprint_of(session.workload, analyse_reuse(session.workload)))};
}

}  // namespace

void add_history_options(CLI::App& verb, HistoryOptions& options) {
  verb.add_option("--history", options.file,
                  "File that runs are recorded in, or none; default: swizzleperf/history.db in the XDG state folder");
  verb.add_option("--resume", options.resume, "Number of a run in the history to go on with");
}

std::string history_file(const HistoryOptions& options) {
  const std::string file = options.file.empty() ? default_history_file() : options.file;
  return file == "none" ? std::string() : file;
}

Expected<Recorder> Recorder::open(const HistoryOptions& options, const Session& session) {
  Recorder recorder;
  const std::string file = history_file(options);
  if (file.empty()) {
    if (options.resume) return user_error("there is no history to resume from", {"--resume"}, "give --history FILE");
    return recorder;
  }
  auto history = History::open(file);
  if (!history) {
    if (!options.file.empty() || options.resume) return tl::unexpected(history.error());
    warn(history.error());
    return recorder;
  }
  recorder.history_ = std::move(*history);
  recorder.info_ = info_of(session);
  if (!options.resume) return recorder;
  auto run = recorder.history_->run(*options.resume);
  if (!run) return tl::unexpected(run.error());
  recorder.resumed_ = std::move(*run);
  if (auto status = recorder.check_resumed(); !status) return tl::unexpected(status.error());
  return recorder;
}

// Recorded predictions stand for new ones only where everything is the same.
Expected<void> Recorder::check_resumed() const {
  const RunInfo& before = resumed_->info;
  if (before.tool_version != info_.tool_version)
    return user_error(
        fmt::format("run {} was made by version {}, this is {}", resumed_->id, before.tool_version, info_.tool_version),
        {"--resume"}, "start a new run: it begins with the maps that worked in this one");
  if (before.problem != info_.problem || before.gpu != info_.gpu)
    return user_error(fmt::format("run {} was of {} ({}) on {}, and this is another kernel, size or GPU", resumed_->id,
                                  before.case_file, before.variant, before.gpu),
                      {"--resume"}, "`swizzleperf history show` shows what a run was of");
  return {};
}

Expected<Tries> Recorder::tries() {
  return history_->tries(resumed_->id);
}

std::vector<Draft> Recorder::earlier() {
  std::vector<Draft> drafts;
  if (!history_) return drafts;
  const auto maps = history_->nearest(info_.fingerprint, info_.gpu, kEarlierMaps);
  if (!maps) {
    keep(tl::unexpected(maps.error()));
    return drafts;
  }
  for (const EarlierMap& one : *maps) {
    drafts.push_back({.name = fmt::format("run {}", one.run),
                      .proposer = "history",
                      .map = one.map,
                      .why = fmt::format("{} on {}: {:.1f} % of the time saved and {:.1f} % of the bytes, predicted",
                                         one.case_name, one.gpu, 100 * one.time_saved, 100 * one.bytes_saved)});
  }
  return drafts;
}

// After a failure nothing more is tried: one warning is enough.
void Recorder::keep(const Expected<void>& done) {
  if (done) return;
  warn(done.error());
  history_.reset();
  run_.reset();
}

void Recorder::begin(const std::string& proposer, int64_t seed, int64_t evaluations) {
  if (!history_) return;
  info_.proposer = proposer;
  info_.seed = seed;
  info_.evaluations = evaluations;
  if (resumed_) {
    run_ = resumed_->id;
    keep(history_->reopen(*run_));
    return;
  }
  const auto run = history_->begin(info_);
  if (run) {
    run_ = *run;
  } else {
    keep(tl::unexpected(run.error()));
  }
}

void Recorder::round(const Scorer& scorer, size_t first_new) {
  if (run_) keep(history_->record(*run_, scorer.tries(), first_new, scorer.simulated()));
}

void Recorder::message(const Message& message) {
  if (run_) keep(history_->record_message(*run_, message));
}

void Recorder::measurement(const StoredMeasurement& measurement) {
  if (run_) keep(history_->record_measurement(*run_, measurement));
}

void Recorder::finish(const std::string& status, const std::string& verdict, const std::string& reason) {
  if (run_) keep(history_->finish(*run_, status, verdict, reason));
}

}  // namespace swizzleperf

// History: what runs tried and what became of it, in a SQLite file. Many processes may record into one file at a time.
// Keys and other secrets are never given to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "history/database.h"
#include "search/scorer.h"

namespace swizzleperf {

// $SWIZZLEPERF_HISTORY if set, else swizzleperf/history.db in $XDG_STATE_HOME, else in ~/.local/state; empty where none
// of these is known. "none" means no history.
std::string default_history_file();

// What a run is about, known when it begins.
struct RunInfo {
  std::string tool_version;
  std::string case_file;  // absolute
  std::string case_name;
  std::string variant;
  std::string gpu;
  std::string grid;      // "64x32"
  std::string proposer;  // "search", "evolution", "bandit", ...
  int64_t seed = 0;
  int64_t evaluations = 0;  // 0: not given
  std::string problem;      // problem_id()
  std::string fingerprint;  // to_text(Fingerprint)
};

struct Run {
  int64_t id = 0;
  RunInfo info;
  std::string started;   // UTC, ISO 8601
  std::string finished;  // empty: still running, or it was killed
  std::string status;    // "running", "done", "failed", "interrupted"
  std::string verdict, reason;
  int64_t simulated = 0;
  int64_t candidates = 0;
  std::string best_map;                        // by time, then bytes; empty before anything was simulated
  std::optional<double> best_ms, baseline_ms;  // predicted
};

// One request to a language model and its reply.
struct Message {
  int64_t round = 0, sample = 0;
  std::string provider, model;
  std::string prompt, reply;
  std::string outcome;  // "complete", "truncated", ...
  int64_t tokens_in = 0, tokens_out = 0;
  std::optional<double> cost_usd;
  double milliseconds = 0;
  std::string recorded = {};  // filled when read
};

// What a GPU said of a map; `result` is the JSON that the measuring verb prints.
struct StoredMeasurement {
  std::string map, device, result;
  std::string recorded = {};  // filled when read
};

// A map that an earlier run of a similar workload found better than its launch order.
struct EarlierMap {
  int64_t run = 0;
  std::string case_name;
  std::string gpu;
  std::string map;
  double distance = 0;     // of the workloads: 0 the same
  double time_saved = 0;   // share of the launch order's predicted time there
  double bytes_saved = 0;  // likewise, of the bytes that leave the L2s
};

class History {
 public:
  // Makes the file where there is none, and brings its schema up to date.
  static Expected<History> open(const std::filesystem::path& file);
  // For looking only. User error where there is no such file.
  static Expected<History> open_to_read(const std::filesystem::path& file);
  const std::filesystem::path& file() const { return database_.file(); }

  Expected<int64_t> begin(const RunInfo& info);
  // Tries from index `first` on, those that were pruned left out; all of them or none.
  Expected<void> record(int64_t run, const Tries& tries, size_t first, int simulated);
  Expected<void> record_message(int64_t run, const Message& message);
  Expected<void> record_measurement(int64_t run, const StoredMeasurement& measurement);
  Expected<void> finish(int64_t run, const std::string& status, const std::string& verdict, const std::string& reason);
  // Marks a run as running again.
  Expected<void> reopen(int64_t run);

  Expected<std::vector<Run>> runs(int64_t limit);  // newest first
  Expected<Run> run(int64_t id);                   // user error where there is none
  Expected<Tries> tries(int64_t run);              // ready for Scorer::restore
  Expected<std::vector<Message>> messages(int64_t run);
  Expected<std::vector<StoredMeasurement>> measurements(int64_t run);

  // The best maps of the runs that are nearest to a workload, at most `count`, nearest first; none of runs too far.
  Expected<std::vector<EarlierMap>> nearest(const std::string& fingerprint, const std::string& gpu, size_t count);

 private:
  explicit History(Database database) : database_(std::move(database)) {}
  Expected<std::vector<Run>> select_runs(const std::string& condition, const std::vector<SqlValue>& values);
  Database database_;
};

}  // namespace swizzleperf

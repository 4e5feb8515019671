// Records a run in the history, and finds there what earlier runs say. By default nothing that goes wrong with the
// history fails a run: it is one warning, and the run goes on without.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "history/history.h"
#include "search/search.h"

namespace swizzleperf {

struct HistoryOptions {
  std::string file;               // empty: the default; "none": no history
  std::optional<int64_t> resume;  // the run to go on with
};

void add_history_options(CLI::App& verb, HistoryOptions& options);

// The file that options name: the default one, unless told otherwise; empty for none.
std::string history_file(const HistoryOptions& options);

class Recorder {
 public:
  // An error only where the user named the file, or a run to resume that cannot be.
  static Expected<Recorder> open(const HistoryOptions& options, const Session& session);

  // The run to go on with; nothing for a new one.
  const std::optional<Run>& resumed() const { return resumed_; }
  // What it has tried.
  Expected<Tries> tries();

  // Maps that worked for similar kernels, as drafts of the proposer "history".
  std::vector<Draft> earlier();

  // A run begins, or goes on. `evaluations` 0: not given.
  void begin(const std::string& proposer, int64_t seed, int64_t evaluations);
  void round(const Scorer& scorer, size_t first_new);
  void message(const Message& message);
  void measurement(const StoredMeasurement& measurement);
  void finish(const std::string& status, const std::string& verdict, const std::string& reason);

  std::optional<int64_t> run() const { return run_; }  // its number; nothing where none is recorded

 private:
  Recorder() = default;
  Expected<void> check_resumed() const;
  void keep(const Expected<void>& done);

  std::optional<History> history_;
  std::optional<Run> resumed_;
  std::optional<int64_t> run_;
  RunInfo info_;
};

}  // namespace swizzleperf

// optimize --proposer: who proposes maps, recorded in the history, and gone on with after an interruption.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/recorder.h"
#include "cli/session.h"
#include "search/search.h"

namespace swizzleperf {

struct ProposerOptions {
  std::optional<std::string>
      proposer;  // "search", "evolution", "bandit", "llm", "both"; not given: search, or the resumed run's
  std::optional<int64_t> seed;  // not given: 1, or the resumed run's
  HistoryOptions history;
};

void add_proposer_options(CLI::App& verb, ProposerOptions& options);

// Runs the proposer that was asked for and records it with `recorder`, all but its end.
Expected<SearchResult> propose_orders(const Session& session, const ProposerOptions& options,
                                      SearchOptions search_options, Recorder& recorder);

}  // namespace swizzleperf

// optimize --proposer llm|both: language models as proposers, the same budget for each, and how they compare.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/recorder.h"
#include "cli/session.h"
#include "llm/llm_proposer.h"
#include "report/json.h"
#include "search/search.h"

namespace swizzleperf {

struct ModelOptions {
  std::string proposer = "search";  // "search", "llm", "both"
  std::vector<std::string> models;
  std::string provider;  // empty: "compatible" with a base URL, else "openai"
  std::string base_url;
  std::string key_file;
  std::string context = "aware";
  std::string counters_file;  // of the launch order, measured by the user
  std::string prices_file;
  std::string record, replay;
  LlmBudget budget;
  int64_t max_seconds = 0;
  std::optional<double> temperature;
  bool dry_run = false;
  bool asks() const { return proposer != "search"; }
};

void add_model_options(CLI::App& verb, ModelOptions& options);

// One model's run.
struct ModelRun {
  std::string model, provider;
  LlmTally tally;
  std::optional<double> cost;  // US dollars; none: the price is unknown
  int maps = 0;                // proposed
  int valid = 0;               // of these, bijections
  int distinct = 0;            // of these, different permutations that nobody tried before
  std::optional<Prediction> best;
  std::string best_map;
  double seconds = 0;
  std::optional<Error> failure;
};

struct ModelsResult {
  SearchResult search;  // everybody's best
  std::vector<ModelRun> runs;
};

// What all models share.
struct ModelSetup {
  Provider provider;
  Secret key;
  Transport transport;
  std::shared_ptr<std::chrono::steady_clock::time_point> deadline;  // of the run in progress
  ContextParts parts;
  Prices prices;
  std::string measured;  // the user's counters
};

// What can be found wrong before a kernel is looked at. User errors: no model, an unknown provider or part of the
// context, a missing key, an unknown price with a limit of cost, a recording that exists.
Expected<ModelSetup> prepare_models(const ModelOptions& options);

// A server that fails is an error only where nothing else was found. Each model's run is one of the history; the end of
// the last one is left to the caller. A run that is resumed goes on from its tries with a new budget, and one model.
Expected<ModelsResult> run_models(const Session& session, const ModelSetup& setup, const ModelOptions& options,
                                  SearchOptions search, Recorder& recorder, StageLine& stage);

// What the first model would be told first, with an estimate of its tokens; sends nothing.
Expected<std::string> first_prompt(const Session& session, const ModelSetup& setup, const ModelOptions& options,
                                   const SearchOptions& search);

std::string format_models(const std::vector<ModelRun>& runs, const Prediction& baseline);
Json to_json(const std::vector<ModelRun>& runs, const GpuSpec& gpu);

}  // namespace swizzleperf

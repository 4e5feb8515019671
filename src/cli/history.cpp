#include "cli/history.h"

#include <fmt/format.h>

#include <memory>

#include "cli/recorder.h"
#include "report/json.h"
#include "report/text.h"

namespace swizzleperf {
namespace {

struct Options {
  std::string file;
  int64_t run = 0;
  int64_t limit = 20;
  bool json = false;
};

Expected<History> open_history(const Options& options) {
  const std::string file = history_file({options.file, {}});
  if (file.empty()) return user_error("there is no history", {"--history"}, "give --history FILE");
  return History::open_to_read(file);
}

std::string gain_text(const Run& run) {
  if (!run.best_ms || !run.baseline_ms || *run.baseline_ms <= 0) return "-";
  return fmt::format("{:.1f} %", 100 * (1 - *run.best_ms / *run.baseline_ms));
}

std::string state_of(const Run& run) {
  if (run.status == "running") return "unfinished";
  return run.verdict.empty() ? run.status : run.verdict;
}

Json to_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Run& run) {
  const RunInfo& info = run.info;
  return {{"run", run.id},
          {"started", run.started},
          {"finished", run.finished.empty() ? Json(nullptr) : Json(run.finished)},
          {"status", run.status},
          {"tool_version", info.tool_version},
          {"case_file", info.case_file},
          {"case", info.case_name},
          {"variant", info.variant},
          {"gpu", info.gpu},
          {"grid", info.grid},
          {"proposer", info.proposer},
          {"seed", info.seed},
          {"evaluations", info.evaluations > 0 ? Json(info.evaluations) : Json(nullptr)},
          {"simulated", run.simulated},
          {"candidates", run.candidates},
          {"verdict", run.verdict},
          {"reason", run.reason},
          {"best_map", run.best_map},
          {"best_predicted_ms", to_json(run.best_ms)},
          {"baseline_predicted_ms", to_json(run.baseline_ms)}};
}

Json to_json(const Scored& one) {
  Json json = {{"name", one.draft.name},
               {"proposer", one.draft.proposer},
               {"map", one.draft.map},
               {"bijective", !one.fault},
               {"why", one.draft.why}};
  json["fault"] = one.fault ? Json(one.fault->error.message) : Json(nullptr);
  json["repeated"] = one.outcome == Scored::Outcome::kRepeated;
  if (!one.prediction) return json;
  const Prediction& p = *one.prediction;
  json["predicted"] = {{"time_ms", p.time_ms},
                       {"l2_hit_rate", p.l2_hit_rate},
                       {"dram_read_bytes", p.dram_read_bytes},
                       {"dram_write_bytes", p.dram_write_bytes},
                       {"l2_miss_bytes", p.l2_miss_bytes},
                       {"balance", p.balance},
                       {"bound", p.bound}};
  return json;
}

Json to_json(const Message& m) {
  return {{"recorded", m.recorded},
          {"round", m.round},
          {"sample", m.sample},
          {"provider", m.provider},
          {"model", m.model},
          {"prompt", m.prompt},
          {"reply", m.reply},
          {"outcome", m.outcome},
          {"tokens_in", m.tokens_in},
          {"tokens_out", m.tokens_out},
          {"cost_usd", to_json(m.cost_usd)},
          {"milliseconds", m.milliseconds}};
}

// A run with everything that is recorded of it.
Expected<Json> whole(History& history, const Run& run) {
  Json json = to_json(run);
  const auto tries = history.tries(run.id);
  if (!tries) return tl::unexpected(tries.error());
  json["tries"] = Json::array();
  for (const Scored& one : *tries) json["tries"].push_back(to_json(one));
  const auto messages = history.messages(run.id);
  if (!messages) return tl::unexpected(messages.error());
  json["messages"] = Json::array();
  for (const Message& one : *messages) json["messages"].push_back(to_json(one));
  const auto measurements = history.measurements(run.id);
  if (!measurements) return tl::unexpected(measurements.error());
  json["measurements"] = Json::array();
  for (const StoredMeasurement& one : *measurements) {
    json["measurements"].push_back({{"recorded", one.recorded},
                                    {"map", one.map},
                                    {"device", one.device},
                                    {"result", Json::parse(one.result, nullptr, false)}});
  }
  return json;
}

int list(const Options& options) {
  auto history = open_history(options);
  if (!history) return report_error(history.error());
  const auto runs = history->runs(options.limit);
  if (!runs) return report_error(runs.error());
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows = {
      {"run", "started", "case", "GPU", "proposer", "simulated", "time saved*", "state"}};
  for (const Run& run : *runs) {
    json.push_back(to_json(run));
    rows.push_back({std::to_string(run.id), run.started, fmt::format("{} ({})", run.info.case_name, run.info.variant),
                    run.info.gpu, run.info.proposer, std::to_string(run.simulated), gain_text(run), state_of(run)});
  }
  fmt::print("{}", options.json ? print(json) : format_table(rows) + "  * predicted, by the best order tried\n");
  return 0;
}

void print_run(const Run& run, const Tries& tries) {
  fmt::print("run {}: {} ({}) on {}, grid {}\n  {}\n  started {}, {}; proposer {}, seed {}; {} tries, {} simulated\n",
             run.id, run.info.case_name, run.info.variant, run.info.gpu, run.info.grid, run.info.case_file, run.started,
             run.finished.empty() ? "unfinished" : "finished " + run.finished, run.info.proposer, run.info.seed,
             run.candidates, run.simulated);
  if (!run.verdict.empty()) fmt::print("  verdict: {}: {}\n", run.verdict, run.reason);
  std::vector<std::vector<std::string>> rows = {{"order", "proposer", "time*", "L2 hit", "what became of it"}};
  for (const Scored& one : tries) {
    const bool known = one.prediction.has_value();
    rows.push_back({one.draft.name, one.draft.proposer, known ? format_time(one.prediction->time_ms) : "-",
                    known ? format_percent(one.prediction->l2_hit_rate) : "-",
                    one.fault                                   ? "refused"
                    : one.outcome == Scored::Outcome::kRepeated ? "tried before"
                                                                : "predicted"});
  }
  fmt::print("\n{}  * predicted\n", format_table(rows));
  if (!run.best_map.empty()) fmt::print("\nbest map: {}\n", run.best_map);
}

int show(const Options& options) {
  auto history = open_history(options);
  if (!history) return report_error(history.error());
  const auto run = history->run(options.run);
  if (!run) return report_error(run.error());
  if (options.json) {
    const auto json = whole(*history, *run);
    if (!json) return report_error(json.error());
    fmt::print("{}", print(*json));
    return 0;
  }
  const auto tries = history->tries(run->id);
  if (!tries) return report_error(tries.error());
  print_run(*run, *tries);
  return 0;
}

// One line of JSON a run, oldest first.
int export_all(const Options& options) {
  constexpr int64_t kAll = -1;  // SQLite: no limit
  auto history = open_history(options);
  if (!history) return report_error(history.error());
  auto runs = history->runs(kAll);
  if (!runs) return report_error(runs.error());
  for (auto run = runs->rbegin(); run != runs->rend(); ++run) {
    const auto json = whole(*history, *run);
    if (!json) return report_error(json.error());
    fmt::print("{}\n", json->dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return 0;
}

}  // namespace

void add_history(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  auto* verb = app.add_subcommand("history", "List, show or export the runs that `optimize` has recorded");
  verb->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, int (*work)(const Options&)) {
    auto* part = verb->add_subcommand(name, what);
    part->add_option("--history", options->file,
                     "History file; default: swizzleperf/history.db in the XDG state folder");
    part->callback([options, &exit_code, work] { exit_code = work(*options); });
    return part;
  };
  auto* list_part = add("list", "The newest runs", list);
  list_part->add_option("--limit", options->limit, "How many")->check(CLI::Range(1, 1'000'000));
  list_part->add_flag("--json", options->json, "Print JSON");
  auto* show_part = add("show", "One run with everything that it tried", show);
  show_part->add_option("run", options->run, "Number of the run")->required();
  show_part->add_flag("--json", options->json, "Print JSON");
  add("export", "All runs, one line of JSON each", export_all);
}

}  // namespace swizzleperf

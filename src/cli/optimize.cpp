#include "cli/optimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "base/process.h"
#include "cli/optimize_measured.h"
#include "cli/release.h"
#include "cli/sweep.h"
#include "report/json.h"
#include "report/measured.h"
#include "report/reuse_text.h"
#include "report/text.h"
#include "search/recognise.h"
#include "search/search.h"

namespace swizzleperf {
namespace {

// What optimize found, whatever the verdict.
struct Outcome {
  SearchResult search;
  std::string verdict;  // "apply", "no gain", "rejected", "unverified"
  Benefit benefit = Benefit::kNone;
  std::string reason;
  Release release;                      // of a decision to apply
  std::optional<Measurement> measured;  // with --device
  std::vector<ModelRun> models = {};
  std::optional<int64_t> run;  // its number in the history
  double seconds = 0;
};

// The verdict of a measurement. The order that it chose is the first afterwards.
Expected<Decision> decide_on_device(const Session& session, const std::string& device, Outcome& outcome,
                                    StageLine& stage) {
  auto choice = choose_on_device(session, device, outcome.search.ranked, stage);
  if (!choice) return tl::unexpected(choice.error());
  outcome.measured = std::move(choice->measurement);
  auto& ranked = outcome.search.ranked;
  if (choice->candidate >= 0)
    std::rotate(ranked.begin(), ranked.begin() + choice->candidate, ranked.begin() + choice->candidate + 1);
  return Decision{choice->verdict.verdict, choice->candidate >= 0 ? Benefit::kTime : Benefit::kNone,
                  choice->verdict.reason};
}

// Everybody's best orders, from the search or from language models or from both.
Expected<ModelsResult> find_orders(const Session& session, const SweepOptions& options, SearchOptions search_options,
                                   const std::optional<ModelSetup>& models, Recorder& recorder, StageLine& stage) {
  if (models) return run_models(session, *models, options.models, std::move(search_options), recorder, stage);
  auto found = propose_orders(session, options.proposer, std::move(search_options), recorder);
  if (!found) return tl::unexpected(found.error());
  return ModelsResult{std::move(*found), {}};
}

Expected<Outcome> find_outcome(const Session& session, const SweepOptions& options,
                               const std::optional<ModelSetup>& models, Recorder& recorder, StageLine& stage) {
  stage.show("searching orders");
  SearchOptions search_options = options.search;
  search_options.progress = [&](const std::string& name, int done, int total) {
    stage.show(fmt::format("{} {}/{}", name, done, total));
  };
  auto found = find_orders(session, options, search_options, models, recorder, stage);
  if (!found) return tl::unexpected(found.error());
  Outcome outcome{.search = std::move(found->search),
                  .verdict = "no gain",
                  .reason = "no other order was found",
                  .release = {},
                  .models = std::move(found->runs)};
  if (outcome.search.ranked.empty()) return outcome;
  Decision decision = decide(outcome.search.baseline.prediction, outcome.search.ranked.front().prediction);
  if (!options.device.empty()) {
    auto measured = decide_on_device(session, options.device, outcome, stage);
    if (!measured) return tl::unexpected(measured.error());
    decision = std::move(*measured);
    if (const auto text = measurement_json(*outcome.measured))
      recorder.measurement({outcome.search.ranked.front().swizzle.expr().text(), options.device, *text});
  }
  const Candidate& best = outcome.search.ranked.front();
  outcome.verdict = decision.verdict;
  outcome.benefit = decision.benefit;
  outcome.reason = decision.reason;
  if (decision.verdict != "apply") return outcome;
  auto released = release(session, best.swizzle, {.guarded = !best.every_grid}, options.allow_order_dependent, stage);
  if (!released) return tl::unexpected(released.error());
  outcome.release = std::move(*released);
  outcome.verdict = outcome.release.verdict;
  if (!outcome.release.released())
    outcome.reason = session.kernel ? outcome.release.reason : outcome.reason + "; " + outcome.release.reason;
  return outcome;
}

const char* name_of(Benefit benefit) {
  switch (benefit) {
    case Benefit::kTime:
      return "time";
    case Benefit::kTraffic:
      return "traffic";
    case Benefit::kNone:
      break;
  }
  return "none";
}

void print_json(const Session& session, const Outcome& outcome) {
  Json json = {
      {"case", session.the_case.name},
      {"variant", session.instance.variant},
      {"gpu", session.gpu.name},
      {"grid", {session.workload.grid.x, session.workload.grid.y, session.workload.grid.z}},
      {"footprints", session.workload.footprint_source},
      {"occupancy", {{"workgroups_per_cu", session.workload.occupancy}, {"source", session.workload.occupancy_source}}},
      {"verdict", outcome.verdict},
      {"benefit", name_of(outcome.benefit)},
      {"reason", outcome.reason},
      {"run", outcome.run ? Json(*outcome.run) : Json(nullptr)},
      {"seconds", outcome.seconds},
      {"ceiling", outcome.search.ceiling},
      {"search",
       {{"proposed", outcome.search.proposed},
        {"distinct", outcome.search.distinct},
        {"simulated", outcome.search.simulated},
        {"engine", outcome.search.engine},
        {"engine_reason", outcome.search.engine_reason}}}};
  json["baseline"] = to_json(outcome.search.baseline.prediction, session.gpu);
  json["candidates"] = Json::array();
  for (const auto& candidate : outcome.search.ranked) json["candidates"].push_back(to_json(candidate, session.gpu));
  json["measured"] = nullptr;
  if (outcome.measured) {
    if (const auto text = measurement_json(*outcome.measured)) json["measured"] = Json::parse(*text);
  }
  if (!outcome.models.empty()) json["models"] = to_json(outcome.models, session.gpu);
  const Release& release = outcome.release;
  json["gate"] = release.gate ? to_json(*release.gate) : Json(nullptr);
  json["patch"] = release.released() ? Json(release.rewritten->patch) : Json(nullptr);
  if (release.rewritten)
    json["index_arithmetic"] = {{"operations", release.rewritten->operations},
                                {"bits", release.rewritten->bits},
                                {"most_workgroups", release.rewritten->most_workgroups}};
  fmt::print("{}", print(json));
}

void print_ranking(const Session& session, const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows = {
      prediction_header(session.gpu), prediction_row("baseline", outcome.search.baseline.prediction, session.gpu)};
  for (const auto& candidate : outcome.search.ranked)
    rows.push_back(prediction_row(candidate.name, candidate.prediction, session.gpu));
  fmt::print("\nBest of {} orders ({} different, {} simulated), predicted; ceiling of the L2 hit rate {}\n{}",
             outcome.search.proposed, outcome.search.distinct, outcome.search.simulated,
             format_percent(outcome.search.ceiling), format_table(rows));
  fmt::print("  * unvalidated{}\n",
             outcome.search.baseline.prediction.time_has_compute ? "" : "; the case states no flops: memory time only");
  if (!outcome.search.engine_reason.empty())
    fmt::print("  engine of these rows: {} ({})\n", outcome.search.engine, outcome.search.engine_reason);
}

void print_text(const Session& session, const Outcome& outcome, const OutputOptions& output) {
  fmt::print("{} ({}) on {}\n", session.the_case.name, session.instance.variant, session.gpu.name);
  fmt::print("  grid {} of {} threads, occupancy {} ({})\n  footprints: {}\n\n{}", to_string(session.workload.grid),
             session.workload.threads_per_workgroup, session.workload.occupancy, session.workload.occupancy_source,
             session.workload.footprint_source, format_reuse(analyse_reuse(session.workload), session.gpu));
  if (const std::string existing = describe(recognise_order(session.workload, session.gpu)); !existing.empty())
    fmt::print("  order: {}\n", existing);
  print_ranking(session, outcome);
  if (outcome.measured) fmt::print("\n{}", measurement_text(*outcome.measured).value_or(""));
  if (!outcome.models.empty())
    fmt::print("\nModels, predicted by the simulator\n{}",
               format_models(outcome.models, outcome.search.baseline.prediction));
  fmt::print("\nverdict: {}{}\n  {}\n", outcome.verdict,
             outcome.benefit == Benefit::kNone ? "" : fmt::format(" (benefit: {})", name_of(outcome.benefit)),
             outcome.reason);
  if (outcome.release.gate)
    fmt::print("\nGate ({})\n{}", outcome.release.gate->verdict(), format_gate(*outcome.release.gate));
  if (!session.kernel && outcome.benefit != Benefit::kNone)
    fmt::print("\nmap: {}\n", outcome.search.ranked.front().swizzle.expr().text());
  if (outcome.release.released()) {
    fmt::print("\nmap: {}\n{} integer operations of {} bits added per workgroup\n",
               outcome.search.ranked.front().swizzle.expr().text(), outcome.release.rewritten->operations,
               outcome.release.rewritten->bits);
    if (output.patch_file.empty() && !output.in_place) fmt::print("\n{}", outcome.release.rewritten->patch);
  }
  fmt::print("\n{:.1f} s{}\n", outcome.seconds,
             outcome.run ? fmt::format("; run {} of the history", *outcome.run) : "");
}

int print_prompt(const Session& session, const ModelSetup& models, const SweepOptions& options, StageLine& stage) {
  const auto prompt = first_prompt(session, models, options.models, options.search);
  if (!prompt) return report_error(prompt.error());
  stage.clear();
  fmt::print("{}", *prompt);
  return 0;
}

int run_optimize(const SweepOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  StageLine stage(!options.json);
  std::optional<ModelSetup> models;
  if (options.models.asks()) {
    auto prepared = prepare_models(options.models);
    if (!prepared) return report_error(prepared.error());
    models = std::move(*prepared);
  }
  const auto session = open_session(options.request, [&](const std::string& name) { stage.show(name); });
  if (!session) return report_error(session.error());
  if (models && options.models.dry_run) return print_prompt(*session, *models, options, stage);
  auto recorder = Recorder::open(options.proposer.history, *session);
  if (!recorder) return report_error(recorder.error());
  auto outcome = find_outcome(*session, options, models, *recorder, stage);
  if (!outcome) {
    recorder->finish(interrupted() ? "interrupted" : "failed", "", outcome.error().message);
    return report_error(outcome.error());
  }
  outcome->run = recorder->run();
  recorder->finish("done", outcome->verdict, outcome->reason);
  outcome->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  stage.clear();
  options.json ? print_json(*session, *outcome) : print_text(*session, *outcome, options.output);
  if (!outcome->release.released()) return 0;
  return finish_with_outputs(options.output, session->the_case, *session->kernel, *outcome->release.rewritten);
}

}  // namespace

void add_optimize(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<SweepOptions>();
  options->search.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  auto* verb = app.add_subcommand(
      "optimize", "Find, prove and verify the best order of a kernel's workgroups, and print the patch");
  add_request_options(*verb, options->request);
  verb->add_option(
          "--sweep", options->ranges,
          "NAME=FROM:TO:STEP or NAME=A,B,C: one map for all these sizes; given several times, every combination")
      ->allow_extra_args(false);
  verb->add_option("--map", options->search.user_maps, "A map of your own to rank beside the search's")
      ->allow_extra_args(false);
  verb->add_option("--keep", options->search.keep, "Orders to list")->check(CLI::Range(1, 1000));
  verb->add_option("--evaluations", options->search.evaluations,
                   "Orders that are simulated; default: 96, or what a few seconds allow")
      ->check(CLI::Range(1, 100000));
  add_proposer_options(*verb, options->proposer);
  verb->add_option("--threads", options->search.threads, "Threads of the search")->check(CLI::Range(1, 1024));
  verb->add_option("--device", options->device,
                   "cuda:N or hip:N: measure the best predicted orders there; the verdict rests on that");
  verb->add_option("--patch", options->output.patch_file, "Write the patch to this file");
  verb->add_flag("--in-place", options->output.in_place,
                 "Rewrite the source itself; the original is kept as NAME.orig");
  verb->add_flag("--allow-order-dependent", options->allow_order_dependent,
                 "Release a patch although workgroups read or write what others write in the same launch");
  verb->add_flag("--json", options->json, "Print JSON");
  add_model_options(*verb, options->models);
  verb->callback([options, &exit_code] {
    const std::string proposer = options->proposer.proposer.value_or("search");
    if (proposer == "llm" || proposer == "both") options->models.proposer = proposer;
    if (!options->ranges.empty() && (proposer != "search" || options->proposer.history.resume)) {
      exit_code = report_error(
          {Blame::kUser, "a sweep knows --proposer search only, and no --resume", {"--sweep"}, "leave out --sweep"});
      return;
    }
    exit_code = options->ranges.empty() ? run_optimize(*options) : run_sweep(*options);
  });
}

}  // namespace swizzleperf

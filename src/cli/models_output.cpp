#include <fmt/format.h>

#include <algorithm>

#include "cli/models.h"
#include "report/text.h"

namespace swizzleperf {
namespace {

std::string ends_text(const LlmTally& tally) {
  std::string text;
  const auto add = [&](int count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(tally.truncated, "truncated");
  add(tally.filtered, "filtered");
  add(tally.refused, "refused");
  add(tally.empty, "empty");
  add(tally.without_map, "without a map");
  return text;
}

}  // namespace

std::string format_models(const std::vector<ModelRun>& runs, const Prediction& baseline) {
  std::vector<std::vector<std::string>> rows = {
      {"model", "maps", "valid", "new", "best L2 hit", "best time", "rounds", "tokens in", "out", "cost", "time"}};
  std::string notes;
  for (const ModelRun& run : runs) {
    const auto ratio = [&] { return baseline.time_ms > 0 ? run.best->time_ms / baseline.time_ms : 1.0; };
    rows.push_back({run.model, fmt::format("{}", run.maps), fmt::format("{}", run.valid),
                    fmt::format("{}", run.distinct), run.best ? format_percent(run.best->l2_hit_rate) : "-",
                    run.best ? fmt::format("{:.3f} x", ratio()) : "-", fmt::format("{}", run.tally.rounds),
                    fmt::format("{}", run.tally.usage.input), fmt::format("{}", run.tally.usage.output),
                    run.cost ? fmt::format("${:.4f}", *run.cost) : "unknown", fmt::format("{:.1f} s", run.seconds)});
    if (const std::string ends = ends_text(run.tally); !ends.empty())
      notes += fmt::format("  {}: answers that gave nothing: {}\n", run.model, ends);
    if (!run.tally.stopped.empty()) notes += fmt::format("  {}: ended because {}\n", run.model, run.tally.stopped);
    if (run.failure) notes += fmt::format("  {}: {}\n", run.model, describe(*run.failure));
  }
  return format_table(rows) + notes;
}

Json to_json(const std::vector<ModelRun>& runs, const GpuSpec& gpu) {
  Json json = Json::array();
  for (const ModelRun& run : runs) {
    json.push_back({{"model", run.model},
                    {"provider", run.provider},
                    {"maps", run.maps},
                    {"valid", run.valid},
                    {"new", run.distinct},
                    {"rounds", run.tally.rounds},
                    {"answers", run.tally.answers},
                    {"repairs", run.tally.repairs},
                    {"tool_calls", run.tally.tool_calls},
                    {"truncated", run.tally.truncated},
                    {"filtered", run.tally.filtered},
                    {"refused", run.tally.refused},
                    {"empty", run.tally.empty},
                    {"without_map", run.tally.without_map},
                    {"tokens_in", run.tally.usage.input},
                    {"tokens_out", run.tally.usage.output},
                    {"cost_usd", run.cost ? Json(*run.cost) : Json(nullptr)},
                    {"seconds", run.seconds},
                    {"stopped", run.tally.stopped},
                    {"best_map", run.best ? Json(run.best_map) : Json(nullptr)},
                    {"best", run.best ? to_json(*run.best, gpu) : Json(nullptr)},
                    {"failure", run.failure ? Json(describe(*run.failure)) : Json(nullptr)}});
  }
  return json;
}

void add_model_options(CLI::App& verb, ModelOptions& options) {
  const char* group = "Language models";
  const auto add = [&](const char* name, auto& value, const char* text) {
    return verb.add_option(name, value, text)->group(group);
  };
  add("--model", options.models, "Model to ask; A,B,C: each with the same budget")
      ->delimiter(',')
      ->allow_extra_args(false);
  add("--provider", options.provider, "Name of data/providers or a TOML file");
  add("--base-url", options.base_url, "Address of the server, instead of the provider's");
  add("--key-file", options.key_file, "File with the API key, instead of the environment");
  add("--context", options.context,
      "unaware, aware, overload, or parts: kernel,accesses,gpu,dispatch,counters,history,known");
  add("--counters", options.counters_file, "File with measured counters of the launch order, shown to the model");
  add("--samples", options.budget.samples, "Answers a round")->check(CLI::Range(1, 64));
  add("--max-rounds", options.budget.rounds, "Rounds")->check(CLI::Range(1, 10000));
  add("--max-tokens", options.budget.tokens, "Tokens in and out, for each model")->check(CLI::Range(1, 1'000'000'000));
  add("--max-cost", options.budget.cost, "US dollars, for each model")->check(CLI::Range(0.000001, 1e6));
  add("--max-time", options.max_seconds, "Seconds, for each model")->check(CLI::Range(1, 1'000'000));
  add("--reply-tokens", options.budget.reply_tokens, "Tokens of one answer, at most")
      ->check(CLI::Range(256, 1'000'000));
  add("--tool-turns", options.budget.tool_turns, "Turns of tool calls in one answer; 0: offer no tools")
      ->check(CLI::Range(0, 100));
  add("--temperature", options.temperature, "Temperature; default: the server's")->check(CLI::Range(0.0, 2.0));
  add("--prices", options.prices_file, "Prices, in the form of data/prices.toml");
  auto* record = add("--record", options.record, "Write every exchange to this file, without the key");
  add("--replay", options.replay, "Take the answers from such a file; nothing is sent")->excludes(record);
  verb.add_flag("--dry-run", options.dry_run, "Print what the model would be told, with its tokens, and send nothing")
      ->group(group);
}

}  // namespace swizzleperf

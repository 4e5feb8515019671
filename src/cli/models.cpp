#include "cli/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/file.h"
#include "llm/prompt.h"
#include "llm/recording.h"
#include "llm/retry.h"
#include "search/family_proposer.h"
#include "search/recognise.h"

namespace swizzleperf {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

CaseFacts case_facts(const Session& session, const std::string& measured) {
  CaseFacts facts{.name = session.the_case.name,
                  .variant = session.instance.variant,
                  .kernel = session.kernel ? session.kernel->name : session.the_case.kernel,
                  .language = "",
                  .source = session.kernel ? session.kernel->source : "",
                  .existing = describe(recognise_order(session.workload, session.gpu)),
                  .measured = measured};
  if (session.kernel) facts.language = session.the_case.dialect == Dialect::kHip ? "HIP" : "CUDA";
  if (facts.kernel.empty()) facts.kernel = facts.name;
  return facts;
}

// Sends by the network; neither a request nor a wait outlives the deadline.
Transport network(std::shared_ptr<Clock::time_point> deadline) {
  return [deadline = std::move(deadline)](const HttpRequest& request) {
    const auto left = std::chrono::duration_cast<milliseconds>(*deadline - Clock::now());
    HttpLimits limits;
    limits.total = std::clamp(left, milliseconds(1000), limits.total);
    RetryPolicy policy;
    policy.total = std::clamp(left, milliseconds(0), policy.total);
    return send_with_retries([&](const HttpRequest& one) { return http_post(one, limits); }, request, policy);
  };
}

Expected<Transport> make_transport(const ModelOptions& options, std::shared_ptr<Clock::time_point> deadline) {
  if (!options.replay.empty()) return replay_from(options.replay);
  if (!options.record.empty()) return record_to(options.record, network(std::move(deadline)));
  return network(std::move(deadline));
}

// Offline nothing is sent: no key is read, and an address may be missing.
bool offline(const ModelOptions& options) {
  return options.dry_run || !options.replay.empty();
}

Expected<Provider> find_provider(const ModelOptions& options) {
  const bool own_server = !options.base_url.empty();
  auto provider = load_provider(!options.provider.empty() ? options.provider : own_server ? "compatible" : "openai");
  if (provider && offline(options)) {
    provider->key_required = false;
    if (provider->base_url.empty()) provider->base_url = "http://127.0.0.1";
  }
  return provider;
}

Expected<LlmOptions> llm_options(const ModelSetup& setup, const ModelOptions& options, const std::string& model) {
  LlmOptions result{.model = model, .parts = setup.parts, .budget = options.budget, .temperature = options.temperature};
  result.budget.time = std::chrono::seconds(options.max_seconds);
  result.price = setup.provider.free ? Price{} : setup.prices.find(model);
  if (!result.price && options.budget.cost > 0)
    return user_error(fmt::format("the price of '{}' is not known, so that --max-cost cannot be kept", model),
                      {"--max-cost"}, "give a file with its price: --prices FILE, in the form of data/prices.toml");
  return result;
}

void count_maps(const Tries& tries, ModelRun& run) {
  const Scored* best = nullptr;
  for (const Scored& one : tries) {
    if (one.draft.proposer != proposer_name(run.model)) continue;
    ++run.maps;
    if (one.fault) continue;
    ++run.valid;
    run.distinct += one.outcome == Scored::Outcome::kPredicted ? 1 : 0;
    if (!one.prediction) continue;
    if (best == nullptr || better(*one.prediction, one.instructions, *best->prediction, best->instructions))
      best = &one;
  }
  if (best == nullptr) return;
  run.best = best->prediction;
  run.best_map = best->map;
}

// How many simulations the answers and the tools of a run can ask for.
int simulations_for(const LlmBudget& budget) {
  constexpr int64_t kMost = 1'000'000;
  return static_cast<int>(
      std::min<int64_t>(kMost, int64_t{budget.rounds} * budget.samples * (2 + 8 * budget.tool_turns)));
}

// What was tried before the models are asked, the same for each.
struct Known {
  Tries tries;
  int distinct = 0;
  int simulated = 0;
};

Message to_record(const LlmMessage& message) {
  return {.round = message.round,
          .sample = message.sample,
          .provider = message.provider,
          .model = message.model,
          .prompt = message.prompt,
          .reply = message.reply,
          .outcome = message.finish,
          .tokens_in = message.usage.input,
          .tokens_out = message.usage.output,
          .cost_usd = message.cost,
          .milliseconds = static_cast<double>(message.milliseconds)};
}

struct OneRun {
  SearchResult search;
  ModelRun run;
};

Expected<OneRun> run_one_model(const Session& session, const ModelSetup& setup, const ModelOptions& options,
                               SearchOptions search, const std::string& model, const Known& known, Recorder& recorder,
                               StageLine& stage) {
  const auto start = Clock::now();
  *setup.deadline =
      options.max_seconds > 0 ? start + std::chrono::seconds(options.max_seconds) : Clock::time_point::max();
  auto llm = llm_options(setup, options, model);
  if (!llm) return tl::unexpected(llm.error());
  llm->progress = [&](const std::string& text) { stage.show(text); };
  Scorer scorer(session.workload, session.gpu, session.model, session.map_sizes, {search.threads, search.progress});
  scorer.restore(known.tries, known.simulated);
  recorder.begin(options.proposer, 0, search.evaluations.value_or(0));
  if (!known.tries.empty() && !recorder.resumed()) recorder.round(scorer, 0);
  search.on_round = [&](const Scorer& scored, size_t first_new) { recorder.round(scored, first_new); };
  llm->on_message = [&](const LlmMessage& message) { recorder.message(to_record(message)); };
  LlmProposer proposer(scorer, ChatClient(setup.provider, setup.key, setup.transport), std::move(*llm),
                       case_facts(session, setup.measured));
  search.evaluations = known.simulated + search.evaluations.value_or(simulations_for(options.budget));
  auto found = run_proposer(scorer, proposer, search);
  if (!found) return tl::unexpected(found.error());
  ModelRun run{.model = model, .provider = setup.provider.name, .tally = proposer.tally(), .cost = proposer.cost()};
  run.failure = proposer.failure();
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  count_maps(scorer.tries(), run);
  return OneRun{std::move(*found), std::move(run)};
}

// Adds the orders of `other` that `all` does not have, best first.
void merge(SearchResult& all, SearchResult other, const Known& known, int keep) {
  for (Candidate& candidate : other.ranked) {
    const bool there = std::any_of(all.ranked.begin(), all.ranked.end(),
                                   [&](const Candidate& c) { return c.swizzle == candidate.swizzle; });
    if (!there) all.ranked.push_back(std::move(candidate));
  }
  std::sort(all.ranked.begin(), all.ranked.end(), [](const Candidate& a, const Candidate& b) {
    return better(a, b) || (!better(b, a) && a.swizzle.expr().text() < b.swizzle.expr().text());
  });
  if (all.ranked.size() > static_cast<size_t>(keep)) all.ranked.erase(all.ranked.begin() + keep, all.ranked.end());
  all.ceiling = std::max(all.ceiling, other.ceiling);
  all.proposed += other.proposed - static_cast<int>(known.tries.size());
  all.distinct += other.distinct - known.distinct;
  all.simulated += other.simulated - known.simulated;
}

// The families' tries, where the models are to start from them.
Expected<Known> families_first(const Session& session, const ModelOptions& options, const SearchOptions& search) {
  if (options.proposer != "both") return Known();
  Scorer scorer(session.workload, session.gpu, session.model, session.map_sizes, {search.threads, search.progress});
  FamilyProposer families(session.workload, session.gpu);
  auto found = run_proposer(scorer, families, search);
  if (!found) return tl::unexpected(found.error());
  return Known{scorer.tries(), scorer.distinct(), scorer.simulated()};
}

// What the run that is gone on with has tried.
Expected<Known> resumed_tries(const Recorder& recorder, const ModelOptions& options, Tries tries) {
  const Run& run = *recorder.resumed();
  if (run.info.proposer != options.proposer || options.models.size() > 1)
    return user_error(fmt::format("run {} is of --proposer {} and one model", run.id, run.info.proposer), {"--resume"},
                      "give that proposer and one --model");
  std::set<PermutationId> distinct;
  for (const Scored& one : tries) {
    if (!one.fault) distinct.insert(one.permutation);
  }
  return Known{std::move(tries), static_cast<int>(distinct.size()), static_cast<int>(run.simulated)};
}

}  // namespace

Expected<ModelSetup> prepare_models(const ModelOptions& options) {
  if (options.models.empty())
    return user_error("--proposer needs a model to ask", {"--model"}, "give --model NAME, or several: --model A,B,C");
  ModelSetup setup;
  const auto parts = parse_context(options.context);
  if (!parts) return tl::unexpected(parts.error());
  setup.parts = *parts;
  auto provider = find_provider(options);
  if (!provider) return tl::unexpected(provider.error());
  auto key = offline(options) ? Secret() : load_secret(provider->key_variable, options.key_file);
  if (!key) return tl::unexpected(key.error());
  setup.key = std::move(*key);
  auto prepared = prepare_provider(std::move(*provider), options.base_url, setup.key);
  if (!prepared) return tl::unexpected(prepared.error());
  setup.provider = std::move(*prepared);
  auto prices = Prices::load(options.prices_file);
  if (!prices) return tl::unexpected(prices.error());
  setup.prices = std::move(*prices);
  auto measured = options.counters_file.empty() ? Expected<std::string>("") : read_file(options.counters_file, 1 << 20);
  if (!measured) return tl::unexpected(measured.error());
  setup.measured = std::move(*measured);
  for (const std::string& model : options.models) {
    if (auto status = llm_options(setup, options, model); !status) return tl::unexpected(status.error());
  }
  setup.deadline = std::make_shared<Clock::time_point>(Clock::time_point::max());
  if (options.dry_run) return setup;
  auto transport = make_transport(options, setup.deadline);
  if (!transport) return tl::unexpected(transport.error());
  setup.transport = std::move(*transport);
  return setup;
}

Expected<ModelsResult> run_models(const Session& session, const ModelSetup& setup, const ModelOptions& options,
                                  SearchOptions search, Recorder& recorder, StageLine& stage) {
  if (!recorder.resumed()) search.earlier = recorder.earlier();
  const auto known =
      recorder.resumed()
          ? recorder.tries().and_then([&](Tries tries) { return resumed_tries(recorder, options, std::move(tries)); })
          : families_first(session, options, search);
  if (!known) return tl::unexpected(known.error());
  std::optional<SearchResult> all;
  std::vector<ModelRun> runs;
  for (const std::string& model : options.models) {
    if (!runs.empty()) recorder.finish("done", "", "one of several models: the last run has the verdict");
    auto one = run_one_model(session, setup, options, search, model, *known, recorder, stage);
    if (!one) return tl::unexpected(one.error());
    if (all)
      merge(*all, std::move(one->search), *known, search.keep);
    else
      all = std::move(one->search);
    runs.push_back(std::move(one->run));
  }
  const bool nothing = all->ranked.empty() && std::all_of(runs.begin(), runs.end(),
                                                          [](const ModelRun& run) { return run.failure.has_value(); });
  if (nothing) return tl::unexpected(*runs.front().failure);
  return ModelsResult{std::move(*all), std::move(runs)};
}

Expected<std::string> first_prompt(const Session& session, const ModelSetup& setup, const ModelOptions& options,
                                   const SearchOptions& search) {
  const auto known = families_first(session, options, search);
  if (!known) return tl::unexpected(known.error());
  Scorer scorer(session.workload, session.gpu, session.model, session.map_sizes, {search.threads, search.progress});
  scorer.restore(known->tries, known->simulated);
  LlmOptions llm{.model = options.models.front(), .parts = setup.parts, .budget = options.budget};
  LlmProposer proposer(scorer, ChatClient(setup.provider, setup.key, setup.transport), std::move(llm),
                       case_facts(session, setup.measured));
  const auto request = proposer.first_request();
  if (!request) return tl::unexpected(request.error());
  const std::string body = encode(setup.provider, *request, {});
  std::string tools;
  for (const ToolSpec& tool : request->tools)
    tools += fmt::format("{}: {}\n{}\n", tool.name, tool.description, tool.parameters);
  return fmt::format(
      "== system ==\n{}\n== user ==\n{}\n== tools ==\n{}\n== fields of the answer ==\n{}\n== about {} tokens "
      "(estimated) to {} ({}); nothing was sent ==\n",
      request->system, request->messages.front().text, tools, request->reply_schema, estimate_tokens(body),
      request->model, setup.provider.name);
}

}  // namespace swizzleperf

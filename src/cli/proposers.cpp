#include "cli/proposers.h"

#include <fmt/format.h>

#include <memory>

#include "search/bandit.h"
#include "search/evolution.h"
#include "search/family_proposer.h"

namespace swizzleperf {
namespace {

std::unique_ptr<Proposer> make_proposer(const std::string& name, const Session& session, int64_t seed) {
  auto families = std::make_unique<FamilyProposer>(session.workload, session.gpu);
  if (name == "search") return families;
  auto evolution = std::make_unique<EvolutionProposer>(session.workload, session.gpu, static_cast<uint64_t>(seed));
  if (name == "evolution") return evolution;
  std::vector<std::unique_ptr<Proposer>> arms;
  arms.push_back(std::move(families));
  arms.push_back(std::move(evolution));
  return std::make_unique<Bandit>(std::move(arms));
}

// What a resumed run was asked for stays; only more evaluations may be asked for.
Expected<ProposerOptions> settle(ProposerOptions options, SearchOptions& search_options, const Recorder& recorder) {
  if (const auto& run = recorder.resumed()) {
    if (run->info.proposer == "llm" || run->info.proposer == "both")
      return user_error(fmt::format("run {} asked a language model", run->id), {"--resume"},
                        fmt::format("give --proposer {} and its --model, too", run->info.proposer));
    const bool other_proposer = options.proposer && *options.proposer != run->info.proposer;
    if (other_proposer || (options.seed && *options.seed != run->info.seed))
      return user_error(
          fmt::format("run {} is of --proposer {} --seed {}", run->id, run->info.proposer, run->info.seed),
          {"--resume"}, "leave both out");
    options.proposer = run->info.proposer;
    options.seed = run->info.seed;
    if (!search_options.evaluations && run->info.evaluations > 0)
      search_options.evaluations = static_cast<int>(run->info.evaluations);
  }
  if (!options.proposer) options.proposer = "search";
  if (!options.seed) options.seed = 1;
  return options;
}

}  // namespace

void add_proposer_options(CLI::App& verb, ProposerOptions& options) {
  verb.add_option(
          "--proposer", options.proposer,
          "Who proposes orders: search (the named families; default), evolution, bandit (search and evolution, by "
          "what each has gained), llm (language models), or both (search, then language models)")
      ->check(CLI::IsMember({"search", "evolution", "bandit", "llm", "both"}));
  verb.add_option("--seed", options.seed, "Seed of the evolution; the same seed, the same orders")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  add_history_options(verb, options.history);
}

Expected<SearchResult> propose_orders(const Session& session, const ProposerOptions& given,
                                      SearchOptions search_options, Recorder& recorder) {
  const auto options = settle(given, search_options, recorder);
  if (!options) return tl::unexpected(options.error());
  Scorer scorer(session.workload, session.gpu, session.model, session.map_sizes,
                {search_options.threads, search_options.progress});
  if (recorder.resumed()) {
    auto tries = recorder.tries();
    if (!tries) return tl::unexpected(tries.error());
    if (!tries->empty()) scorer.restore(std::move(*tries), static_cast<int>(recorder.resumed()->simulated));
  }
  if (scorer.tries().empty()) search_options.earlier = recorder.earlier();
  search_options.on_round = [&](const Scorer& scored, size_t first_new) { recorder.round(scored, first_new); };
  recorder.begin(*options->proposer, *options->seed, search_options.evaluations.value_or(0));
  const auto proposer = make_proposer(*options->proposer, session, *options->seed);
  return run_proposer(scorer, *proposer, search_options);
}

}  // namespace swizzleperf

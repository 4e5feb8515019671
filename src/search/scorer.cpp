#include "search/scorer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "base/parallel.h"
#include "base/process.h"
#include "search/neighbours.h"
#include "swizzle/cost.h"

namespace swizzleperf {

PermutationId permutation_id(const Order& tiles) {
  // Two multiplicative hashes with odd constants and their own mixing; a chance collision is out of the question.
  PermutationId id = {1469598103934665603ULL, 0x2545F4914F6CDD1DULL};
  for (const int32_t tile : tiles) {
    id[0] = (id[0] ^ static_cast<uint64_t>(tile)) * 0x9E3779B97F4A7C15ULL;
    id[1] = ((id[1] << 7U | id[1] >> 57U) + static_cast<uint64_t>(tile)) * 0xD6E8FEB86659FD93ULL;
  }
  return id;
}

std::string describe(const Fault& fault) {
  if (!fault.report) return describe(fault.error);
  const MapReport& report = *fault.report;
  std::string text = fmt::format("{}: {} of {} tiles are done by no workgroup (the first: {})", fault.error.message,
                                 report.missing, report.grid.size(), fmt::join(report.lost_examples, ", "));
  if (report.duplicated > 0)
    text += fmt::format("; {} workgroups repeat a tile that another one does (the first: {})", report.duplicated,
                        fmt::join(report.duplicated_examples, ", "));
  if (report.out_of_range > 0)
    text += fmt::format("; {} workgroups get a tile outside of the grid (the first: {})", report.out_of_range,
                        fmt::join(report.out_of_range_examples, ", "));
  return text;
}

// Proposed by the user, or because of an earlier run: simulated whatever its footprint.
static bool is_chosen(const Scored& scored) {
  return scored.draft.proposer == "user" || scored.draft.proposer == "history";
}

// A try in the making.
struct Scorer::Proven {
  Scored scored;
  std::optional<Swizzle> swizzle;
  std::optional<size_t> same_in_batch;  // the earlier one with this permutation
};

Scorer::Scorer(const Workload& workload, const GpuSpec& gpu, const Model& model, const Sizes& sizes,
               ScorerOptions options)
    : workload_(workload),
      gpu_(gpu),
      model_(model),
      sizes_(sizes),
      options_(std::move(options)),
      row_(row_length(workload)) {}

Scorer::Proven Scorer::prove_draft(Draft draft) const {
  Proven result;
  Scored& scored = result.scored;
  scored.draft = std::move(draft);
  const auto expr = SwizzleExpr::parse(scored.draft.map, scored.draft.proposer == "user" ? "--map" : scored.draft.name);
  if (!expr) {
    scored.fault = Fault{expr.error(), {}};
    return result;
  }
  scored.map = expr->text();
  auto proof = prove(*expr, workload_.grid, sizes_);
  if (!proof) {
    scored.fault = Fault{proof.error(), {}};
    return result;
  }
  if (auto* swizzle = std::get_if<Swizzle>(&*proof)) {
    scored.outcome = Scored::Outcome::kPruned;  // until it is simulated
    scored.permutation = permutation_id(swizzle->tiles());
    scored.identity = swizzle->identity();
    scored.instructions = estimate_instructions(*expr, workload_.grid);
    result.swizzle = std::move(*swizzle);
    return result;
  }
  const std::string message =
      fmt::format("'{}' is not a bijection on the grid {}", scored.draft.map, to_string(workload_.grid));
  scored.fault =
      Fault{{Blame::kUser, message, {}, "`swizzleperf check` shows what it loses"}, std::get<MapReport>(*proof)};
  return result;
}

void Scorer::prove_all(std::vector<Draft>& drafts, std::vector<Proven>& batch) const {
  int done = 0;
  std::mutex reporting;
  parallel_for(drafts.size(), options_.threads, [&](size_t i) {
    batch[i] = prove_draft(std::move(drafts[i]));
    if (!options_.progress) return;
    const std::scoped_lock lock(reporting);
    if (++done % 64 == 0) options_.progress("proving maps", done, static_cast<int>(drafts.size()));
  });
}

// The drafts whose permutation has no prediction yet; the others learn whom they repeat. A permutation counts as the
// user's if any of the equal maps is.
std::vector<size_t> Scorer::find_new(std::vector<Proven>& batch) const {
  std::vector<size_t> fresh;
  std::unordered_map<PermutationId, size_t, IdHash> in_batch;
  for (size_t i = 0; i < batch.size(); ++i) {
    Proven& one = batch[i];
    if (!one.swizzle) continue;
    const auto [same, is_new] = in_batch.try_emplace(one.scored.permutation, i);
    if (!is_new) {
      one.same_in_batch = same->second;
      if (is_chosen(one.scored)) batch[same->second].scored.draft.proposer = one.scored.draft.proposer;
      one.swizzle.reset();
      continue;
    }
    if (const auto found = predictions_.find(one.scored.permutation); found != predictions_.end()) {
      one.scored.prediction = found->second;
      one.swizzle.reset();
    } else {
      fresh.push_back(i);
    }
  }
  return fresh;
}

// Leaves in `fresh` what the object engine is to see: the identity, the maps that the user or an earlier run chose, the
// plain orders as far as they take no more than half of what is left, and the best by footprint.
void Scorer::prune(std::vector<Proven>& batch, std::vector<size_t>& fresh, int simulate) const {
  const auto identities = std::count_if(fresh.begin(), fresh.end(), [&](size_t i) { return batch[i].scored.identity; });
  const auto keep = static_cast<size_t>(identities) + static_cast<size_t>(std::max(0, simulate));
  if (fresh.size() <= keep) return;
  parallel_for(fresh.size(), options_.threads, [&](size_t k) {
    Proven& one = batch[fresh[k]];
    one.scored.footprint = model_.footprint_cost(one.swizzle->tiles());
  });
  std::sort(fresh.begin(), fresh.end(), [&](size_t i, size_t j) {
    const Scored& a = batch[i].scored;
    const Scored& b = batch[j].scored;
    if (a.identity != b.identity) return a.identity;
    if (is_chosen(a) != is_chosen(b)) return is_chosen(a);
    if (a.footprint != b.footprint) return a.footprint < b.footprint;
    if (a.instructions != b.instructions) return a.instructions < b.instructions;
    return a.map < b.map;
  });
  move_plain_ahead(batch, fresh, keep);
  fresh.resize(keep);
}

// A footprint does not tell apart orders that are nearly as good; among them a plain one is worth having.
void Scorer::move_plain_ahead(const std::vector<Proven>& batch, std::vector<size_t>& fresh, size_t keep) {
  const auto chosen = [&](size_t i) { return batch[i].scored.identity || is_chosen(batch[i].scored); };
  const auto rest = std::find_if_not(fresh.begin(), fresh.end(), chosen);
  const auto taken = static_cast<size_t>(rest - fresh.begin());
  size_t room = keep > taken ? (keep - taken) / 2 : 0;
  std::vector<size_t> plain, others;
  for (auto i = rest; i != fresh.end(); ++i) {
    const bool ahead = batch[*i].scored.draft.plain && room > 0;
    if (ahead) --room;
    (ahead ? plain : others).push_back(*i);
  }
  std::copy(others.begin(), others.end(), std::copy(plain.begin(), plain.end(), rest));
}

void Scorer::predict(std::vector<Proven>& batch, const std::vector<size_t>& chosen) {
  int done = 0;
  std::mutex reporting;
  parallel_for(chosen.size(), options_.threads, [&](size_t k) {
    Proven& one = batch[chosen[k]];
    const Nearness near = nearness(one.swizzle->tiles(), row_, gpu_, workload_.occupancy);
    one.scored.near_fast = near.fast;
    one.scored.near_slow = near.slow;
    one.scored.prediction = model_.predict(one.swizzle->tiles(), {.index_instructions = one.scored.instructions});
    const std::scoped_lock lock(reporting);
    ++done;
    if (options_.progress) options_.progress("simulating orders", done, static_cast<int>(chosen.size()));
  });
  simulated_ += done;
}

// The outcome of a draft that has a prediction.
void Scorer::settle(Scored& scored) {
  predictions_.try_emplace(scored.permutation, *scored.prediction);
  const auto earlier = first_.find(scored.permutation);
  const bool repeated = earlier != first_.end() && tries_[earlier->second].prediction;
  scored.outcome = repeated ? Scored::Outcome::kRepeated : Scored::Outcome::kPredicted;
  if (repeated) scored.same_as = earlier->second;
}

void Scorer::remember(std::vector<Proven>& batch) {
  const size_t begin = tries_.size();
  for (Proven& one : batch) {
    Scored& scored = one.scored;
    if (one.same_in_batch) scored.prediction = tries_[begin + *one.same_in_batch].prediction;
    if (scored.prediction) settle(scored);
    if (!scored.fault && !scored.same_as) first_[scored.permutation] = tries_.size();
    tries_.push_back(std::move(scored));
  }
}

Expected<size_t> Scorer::score(std::vector<Draft> drafts, int simulate) {
  const size_t begin = tries_.size();
  std::vector<Proven> batch(drafts.size());
  prove_all(drafts, batch);
  if (interrupted()) return user_error("interrupted");
  std::vector<size_t> chosen = find_new(batch);
  prune(batch, chosen, simulate);
  predict(batch, chosen);
  if (interrupted()) return user_error("interrupted");
  remember(batch);
  return begin;
}

Scored Scorer::ask(const Draft& draft) {
  std::vector<Proven> batch;
  batch.push_back(prove_draft(draft));
  predict(batch, find_new(batch));
  Scored& scored = batch.front().scored;
  if (scored.prediction) settle(scored);
  return std::move(scored);
}

void Scorer::restore(Tries tries, int simulated) {
  tries_ = std::move(tries);
  simulated_ = simulated;
  for (size_t i = 0; i < tries_.size(); ++i) {
    Scored& one = tries_[i];
    if (one.fault) continue;
    if (one.prediction) predictions_.try_emplace(one.permutation, *one.prediction);
    const auto [first, is_new] = first_.try_emplace(one.permutation, i);
    if (!is_new && one.outcome == Scored::Outcome::kRepeated) one.same_as = first->second;
  }
}

}  // namespace swizzleperf

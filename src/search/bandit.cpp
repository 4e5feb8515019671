#include "search/bandit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/search.h"

namespace swizzleperf {
namespace {

constexpr int kSlice = 16;  // simulations that an arm gets at a time
// Weight of what is not known yet, against the largest gain seen: low, as runs are short.
constexpr double kCuriosity = 0.5;

double moved_bytes(const Prediction& p) {
  return static_cast<double>(p.dram_read_bytes + p.dram_write_bytes + p.l2_miss_bytes);
}

// A hundredth of the bytes counts as a thousandth of the time: enough to tell arms apart where time stands still.
double gain_between(const Prediction& before, const Prediction& after) {
  const auto saved = [](double a, double b) { return a > 0 && b > 0 ? std::max(0.0, std::log(a / b)) : 0.0; };
  return saved(before.time_ms, after.time_ms) + 0.1 * saved(moved_bytes(before), moved_bytes(after));
}

void spend(ArmRecord& record, double simulations) {
  record.spent += simulations;
  record.gain *= std::exp2(-simulations / kSlice);
}

// Arms that have offered several drafts since the last new order, all of them of no use, wait until others have had
// their turn.
std::vector<size_t> stuck_last(const std::vector<size_t>& order, const Tries& tries,
                               const std::vector<std::string>& names) {
  constexpr int kPatience = 4;
  std::vector<int> useless(names.size());
  for (size_t i = tries.size(); i-- > 0 && tries[i].outcome != Scored::Outcome::kPredicted;) {
    const auto arm = std::find(names.begin(), names.end(), tries[i].draft.proposer);
    if (arm != names.end() && tries[i].outcome != Scored::Outcome::kPruned)
      ++useless[static_cast<size_t>(arm - names.begin())];
  }
  std::vector<size_t> result;
  for (const bool stuck : {false, true}) {
    for (const size_t arm : order) {
      if ((useless[arm] >= kPatience) == stuck) result.push_back(arm);
    }
  }
  return result;
}

}  // namespace

std::vector<ArmRecord> arm_records(const Tries& tries, const std::vector<std::string>& names) {
  std::vector<ArmRecord> records(names.size());
  const Scored* best = nullptr;
  for (const Scored& one : tries) {
    const auto arm = std::find(names.begin(), names.end(), one.draft.proposer);
    ArmRecord* record = arm == names.end() ? nullptr : &records[static_cast<size_t>(arm - names.begin())];
    if (record != nullptr && one.outcome != Scored::Outcome::kPruned) spend(*record, 1);
    if (one.outcome != Scored::Outcome::kPredicted) continue;
    const bool gains =
        best == nullptr || better(*one.prediction, one.instructions, *best->prediction, best->instructions);
    if (record != nullptr && gains && best != nullptr) {
      record->gain += gain_between(*best->prediction, *one.prediction);
      record->most = std::max(record->most, record->gain);
    }
    if (gains) best = &one;
  }
  return records;
}

std::vector<size_t> rank_arms(const std::vector<ArmRecord>& records) {
  double slices = 0;
  double largest = 1e-9;
  for (const ArmRecord& record : records) {
    slices += record.spent / kSlice;
    largest = std::max(largest, record.most);
  }
  std::vector<double> promise;
  for (const ArmRecord& record : records) {
    promise.push_back(record.spent > 0
                          ? record.gain / largest + kCuriosity * std::sqrt(std::log(slices + 1) * kSlice / record.spent)
                          : std::numeric_limits<double>::infinity());
  }
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return promise[a] > promise[b] || (promise[a] == promise[b] && a < b); });
  return order;
}

Expected<std::vector<Draft>> Bandit::propose(const Tries& tries, int budget) {
  std::vector<std::string> names;
  for (const auto& arm : arms_) names.push_back(arm->name());
  for (const size_t arm : stuck_last(rank_arms(arm_records(tries, names)), tries, names)) {
    auto drafts = arms_[arm]->propose(tries, std::min(budget, kSlice));
    if (!drafts) return drafts;
    if (drafts->empty()) continue;  // no ideas left: the next best one's turn
    chosen_ = arm;
    return drafts;
  }
  return std::vector<Draft>();
}

int Bandit::width(int budget) const {
  return arms_[chosen_]->width(std::min(budget, kSlice));
}

}  // namespace swizzleperf

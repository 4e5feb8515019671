#include "llm/history_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/text.h"
#include "search/search.h"

namespace swizzleperf {
namespace {

constexpr size_t kMineShown = 16;   // the model's own tries: the newest
constexpr size_t kOthersShown = 5;  // of other proposers: the best
constexpr size_t kLongestWords = 600;
constexpr size_t kLongestMap = 2'000;

std::string clipped(std::string text, size_t limit) {
  if (text.size() > limit) text = text.substr(0, limit) + " [cut]";
  return text;
}

// A stranger's words on one line, so that they cannot pass for a part of the prompt.
std::string words(const std::string& text) {
  std::string line = clipped(text, kLongestWords);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '`'; }, ' ');
  return line;
}

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

std::string outcome_text(const Scored& one, const TryNote* note, const Prediction& baseline, const GpuSpec& gpu,
                         bool counters) {
  if (one.fault) return "refused: " + clipped(describe(*one.fault), kLongestWords);
  if (!one.prediction) return "a bijection, but not simulated: its footprint is not promising";
  std::string text = describe_prediction(*one.prediction, baseline, gpu, counters);
  if (one.identity) text += "; it is the launch order";
  if (one.same_as && !one.identity) text += "; the same permutation as an earlier try";
  if (counters && note != nullptr && note->expected_hit_rate)
    text += fmt::format("; its proposer expected {}", format_percent(*note->expected_hit_rate));
  return text;
}

}  // namespace

std::vector<size_t> shown_tries(const Tries& tries, const std::string& mine) {
  std::vector<size_t> own, others;
  for (size_t i = 0; i < tries.size(); ++i) {
    if (tries[i].draft.proposer == mine)
      own.push_back(i);
    else if (tries[i].prediction && !tries[i].same_as)
      others.push_back(i);
  }
  if (own.size() > kMineShown) own.erase(own.begin(), own.end() - kMineShown);
  std::sort(others.begin(), others.end(), [&](size_t a, size_t b) {
    const Scored& x = tries[a];
    const Scored& y = tries[b];
    if (better(*x.prediction, x.instructions, *y.prediction, y.instructions)) return true;
    return !better(*y.prediction, y.instructions, *x.prediction, x.instructions) && a < b;
  });
  others.resize(std::min(others.size(), kOthersShown));
  own.insert(own.end(), others.begin(), others.end());
  std::sort(own.begin(), own.end());
  return own;
}

std::string describe_tries(const Tries& tries, const std::vector<size_t>& shown, const TryNotes& notes,
                           const Prediction& baseline, const GpuSpec& gpu, bool counters) {
  if (shown.empty()) return "None yet: the launch order is all there is.\n";
  std::string text;
  for (size_t number = 0; number < shown.size(); ++number) {
    const Scored& one = tries[shown[number]];
    const auto note = notes.find(shown[number]);
    text += fmt::format("Try {} ({}):\n\n{}\n\nResult: {}\n", number + 1, one.draft.name,
                        indented(clipped(one.map.empty() ? one.draft.map : one.map, kLongestMap)),
                        outcome_text(one, note == notes.end() ? nullptr : &note->second, baseline, gpu, counters));
    if (!one.draft.why.empty()) text += fmt::format("Its proposer's reason: {}\n", words(one.draft.why));
    if (note != notes.end())
      for (const auto& critique : note->second.critiques)
        text += fmt::format("A later critique: {}\n", words(critique));
    text += "\n";
  }
  return text;
}

std::string describe_prediction(const Prediction& prediction, const Prediction& baseline, const GpuSpec& gpu,
                                bool counters) {
  const auto bytes = [](int64_t value) { return format_bytes(static_cast<double>(value)); };
  std::string text = fmt::format("predicted time {:.3f} x that of the launch order",
                                 baseline.time_ms > 0 ? prediction.time_ms / baseline.time_ms : 1.0);
  if (!counters) return text;
  text +=
      fmt::format("; L2 hit rate {} (launch order {}, ceiling {}); bytes leaving the L2s {} ({}); DRAM bytes {} ({})",
                  format_percent(prediction.l2_hit_rate), format_percent(baseline.l2_hit_rate),
                  format_percent(prediction.ceiling), bytes(prediction.l2_miss_bytes), bytes(baseline.l2_miss_bytes),
                  bytes(prediction.dram_read_bytes + prediction.dram_write_bytes),
                  bytes(baseline.dram_read_bytes + baseline.dram_write_bytes));
  if (gpu.domains > 1) text += fmt::format("; balance over the L2 domains {:.2f}", prediction.balance);
  return text;
}

}  // namespace swizzleperf

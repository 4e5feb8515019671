#include "cli/optimize_measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/measuring.h"
#include "measure/profile.h"
#include "measure/runner.h"

namespace swizzleperf {
namespace {

constexpr size_t kCandidates = 6;  // more would share the time, and win by chance

// The launch order and one other, alone in a new process.
Expected<bool> faster_again(const runner::Job& job, size_t variant) {
  runner::Job alone = job;
  alone.variants = {job.variants[0], job.variants[variant]};
  const auto again = run_job(alone);
  if (!again) return tl::unexpected(again.error());
  return again->variants.at(1).equal && again->variants.at(1).cold.faster();
}

}  // namespace

Expected<MeasuredChoice> choose_on_device(const Session& session, const std::string& device,
                                          const std::vector<Candidate>& candidates, StageLine& stage) {
  const auto parsed = parse_device(device);
  if (!parsed) return tl::unexpected(parsed.error());
  const std::vector<Candidate> best(candidates.begin(),
                                    candidates.begin() + std::min<ptrdiff_t>(kCandidates, std::ssize(candidates)));
  auto plan = plan_measurement(session, {}, best);
  if (!plan) return tl::unexpected(plan.error());
  if (plan->job.api != parsed->api)
    return user_error(fmt::format("the case is not written for '{}'", device), {"--device"});
  plan->job.device = parsed->index;
  plan->job.energy_ms = 0;
  stage.show("measuring on " + device);
  auto measurement = run_job(plan->job);
  if (!measurement) return tl::unexpected(measurement.error());
  MeasuredChoice choice{.measurement = std::move(*measurement), .verdict = {}};
  stage.show("counting on " + device);
  auto profile = profile_job(plan->job, plan->touched_bytes);
  if (profile) {
    for (size_t i = 0; i < profile->variants.size(); ++i)
      choice.measurement.variants[i].counters = std::move(profile->variants[i]);
  } else {
    choice.measurement.warnings.push_back("not counted, the verdict rests on time alone: " + profile.error().message);
  }
  std::vector<PredictedTraffic> predicted;
  for (const PlannedOrder& order : plan->orders) predicted.push_back({order.prediction.dram_read_bytes});
  choice.verdict = judge(choice.measurement, predicted);
  if (choice.verdict.confirm) {
    const auto again = faster_again(plan->job, static_cast<size_t>(choice.verdict.chosen));
    if (!again) return tl::unexpected(again.error());
    choice.verdict.reason +=
        *again ? "; a second run by itself confirms it" : "; a second run by itself does not confirm it";
    if (!*again) choice.verdict.verdict = "no gain", choice.verdict.chosen = -1;
  }
  if (choice.verdict.chosen >= 0) choice.candidate = choice.verdict.chosen - static_cast<int>(kFirstOther);
  return choice;
}

}  // namespace swizzleperf

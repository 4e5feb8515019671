// depends: swizzleperf_measure
// Any text: an error with a sentence, or launches whose counters do not contradict themselves. The runner's answers and
// jobs are read from the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "measure/answer.h"
#include "measure/ncu.h"
#include "measure/rocprof.h"
#include "runner/failure.h"
#include "runner/job.h"

namespace {

using namespace swizzleperf;

void expect_sound(const Counters& counters) {
  if (counters.l2_hits && counters.l2_requests && *counters.l2_hits > *counters.l2_requests) std::abort();
  if (const auto rate = counters.l2_hit_rate(); rate && !(*rate >= 0 && *rate <= 1)) std::abort();
  if (counters.time_ms && !(*counters.time_ms > 0)) std::abort();
}

void expect_round_trip(const std::string& text) {
  try {
    const runner::Job job = runner::parse_job(text);
    const std::string printed = runner::print_job(job);
    if (runner::print_job(runner::parse_job(printed)) != printed) std::abort();
  } catch (const runner::Failure& failure) {
    if (failure.kind != "job") std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto launches = parse_ncu(text)) {
    for (const ProfiledLaunch& launch : *launches) expect_sound(counters_of_ncu(launch, 1000));
  } else if (launches.error().message.empty()) {
    std::abort();
  }
  if (const auto launches = parse_rocprof(text)) {
    for (const ProfiledLaunch& launch : *launches) expect_sound(counters_of_rocprof(launch));
  } else if (launches.error().message.empty()) {
    std::abort();
  }
  if (const auto answer = read_answer(text); !answer && answer.error().message.empty()) std::abort();
  expect_round_trip("swizzleperf-job 1\nkernel 1\nk\nvariant 1\nv\n0 1\ns\n" + text);
  return 0;
}

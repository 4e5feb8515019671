#include "runner/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace swizzleperf::runner {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Timer {
 public:
  Timer(const Device& device, const PowerMeter& meter, const Job& job, const std::vector<Kernel>& kernels,
        std::vector<ArgumentSet>& sets, Timing& timing)
      : device_(device), meter_(meter), job_(job), kernels_(kernels), sets_(sets), timing_(timing) {
    // Several times the largest last-level cache there is (256 MiB), so that nothing of a kernel's data stays.
    timing_.flush_bytes = std::max(int64_t{512} << 20, 4 * device.facts().l2_bytes);
    flush_ = device.allocate(timing_.flush_bytes);
    for (size_t i = 0; i < 2 * kernels.size(); ++i) {
      starts_.push_back(device.create_event());
      stops_.push_back(device.create_event());
    }
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() = default;  // the flush buffer goes with the process: freeing it may fail after an error

  // The time of one round of all kernels, by the host's clock, after everything has run once.
  double trial() {
    for (int i = 0; i < 2; ++i) round(i);
    const auto start = Clock::now();
    round(0);
    return ms_since(start);
  }

  // One launch a kernel cold and one warm; kept when `record`.
  void round(int index, bool record = false) {
    const size_t count = kernels_.size();
    ArgumentSet& set = sets_[static_cast<size_t>(index) % sets_.size()];
    const auto shift = static_cast<size_t>(index) / 2 % count;
    for (size_t i = 0; i < count; ++i) {
      const size_t turn = (i + shift) % count;
      measure(index % 2 == 0 ? turn : count - 1 - turn, set);
    }
    device_.wait();
    if (!record) return;
    for (size_t i = 0; i < count; ++i) {
      timing_.samples[i].cold_ms.push_back(device_.elapsed_ms(starts_[2 * i], stops_[2 * i]));
      timing_.samples[i].warm_ms.push_back(device_.elapsed_ms(starts_[2 * i + 1], stops_[2 * i + 1]));
    }
    if (const auto clock = meter_.clock_mhz()) timing_.clock_mhz.push_back(*clock);
  }

  // Launches of one kernel between two changes of the energy counter, which moves in steps.
  void energy(size_t kernel, double launch_ms) {
    const int batch = std::max(1, static_cast<int>(std::lround(10 / std::max(launch_ms, 1e-3))));
    const auto begin = meter_.energy_mj();
    if (!begin) return;
    auto last = *begin, first = *begin;
    auto started = Clock::now();
    bool counting = false;
    int64_t launches = 0, counted = 0;
    const auto limit = Clock::now() + std::chrono::milliseconds(2 * job_.energy_ms + 1000);
    while (Clock::now() < limit) {
      for (int i = 0; i < batch; ++i) device_.launch(kernels_[kernel], job_, sets_.front().pointers());
      device_.wait();
      launches += batch;
      const auto now = meter_.energy_mj();
      if (!now || *now == last) continue;
      last = *now;
      if (!counting) {
        counting = true;
        first = last;
        launches = 0;
        started = Clock::now();
        continue;
      }
      counted = launches;
      if (ms_since(started) >= static_cast<double>(job_.energy_ms)) break;
    }
    if (counted > 0)
      timing_.samples[kernel].energy_mj.push_back(static_cast<double>(last - first) / static_cast<double>(counted));
  }

 private:
  void measure(size_t kernel, ArgumentSet& set) {
    const auto timed = [&](size_t event) {
      device_.record(starts_[event]);
      device_.launch(kernels_[kernel], job_, set.pointers());
      device_.record(stops_[event]);
    };
    device_.set_bytes(flush_, 0, timing_.flush_bytes);
    timed(2 * kernel);
    timed(2 * kernel + 1);  // the launch just before warmed the caches
  }

  const Device& device_;
  const PowerMeter& meter_;
  const Job& job_;
  const std::vector<Kernel>& kernels_;
  std::vector<ArgumentSet>& sets_;
  Timing& timing_;
  DevicePointer flush_ = 0;
  std::vector<void*> starts_, stops_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Timing time_kernels(const Device& device, const PowerMeter& meter, const Job& job, const std::vector<Kernel>& kernels,
                    const std::vector<bool>& with_energy, std::vector<ArgumentSet>& sets) {
  Timing timing;
  timing.samples.resize(kernels.size());
  timing.sets = static_cast<int>(sets.size());
  device.reset_persisting_l2();
  Timer timer(device, meter, job, kernels, sets, timing);
  const double budget = static_cast<double>(job.budget_ms) * static_cast<double>(kernels.size());
  const double fitting = budget / std::max(timer.trial(), 1e-3);
  const int rounds = static_cast<int>(std::clamp<double>(fitting, job.min_rounds, job.max_rounds));
  for (int i = 0; i < rounds; ++i) timer.round(i, true);
  if (job.energy_ms == 0) return timing;
  // There and back, so that a device that warms up favours none.
  for (const bool back : {false, true}) {
    for (size_t i = 0; i < kernels.size(); ++i) {
      const size_t kernel = back ? kernels.size() - 1 - i : i;
      if (with_energy[kernel]) timer.energy(kernel, median(timing.samples[kernel].warm_ms));
    }
  }
  return timing;
}

}  // namespace swizzleperf::runner

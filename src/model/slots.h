// The workgroups that run on one queue, and how far they drift apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/mix.h"
#include "model/objects.h"

namespace swizzleperf {

// How workgroups go on beside each other; the default is lock step.
struct Timing {
  int64_t miss_rounds = 0;  // rounds more that a load waits when the L2 has to fetch for it
  int64_t miss_jitter = 0;  // and up to so many on top, at random: memory answers unevenly
  bool shuffled = false;    // slots issue in another random order every round
  double uneven = 0;        // a slot is slower than the fastest by up to this share, always the same slots
  double memory_bytes = 0;  // that DRAM delivers in a round; 0: what is asked for is there in the next
  bool waits() const { return miss_rounds > 0 || miss_jitter > 0 || memory_bytes > 0; }
  bool lock_step() const { return !waits() && !shuffled && uneven == 0; }
};

// Pseudo-random numbers that depend on the seed alone (splitmix64).
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}
  // 0 <= result < bound; requires bound > 0.
  uint64_t below(uint64_t bound) {
    const uint64_t number = mix(state_);
    state_ += kMixStep;
    return number % bound;
  }

 private:
  uint64_t state_;
};

// When what an L2 fetches is there. Those who ask for it meanwhile wait as long as the first, so they stay together.
class InFlight {
 public:
  InFlight(const Timing& timing, size_t objects, uint64_t seed)
      : timing_(timing), random_(seed), arrival_(timing.waits() ? objects : 0, 0) {}
  void fetch(int32_t object, int64_t bytes, int64_t round) {
    if (arrival_.empty()) return;
    int64_t wait = timing_.miss_rounds;
    if (timing_.miss_jitter > 0)
      wait += static_cast<int64_t>(random_.below(static_cast<uint64_t>(timing_.miss_jitter) + 1));
    arrival_[static_cast<size_t>(object)] = round + 1 + wait + queue(static_cast<double>(bytes), round);
  }
  // The round from which on the object is there.
  int64_t arrival(int32_t object) const { return arrival_.empty() ? 0 : arrival_[static_cast<size_t>(object)]; }

 private:
  // Rounds that DRAM is behind with.
  int64_t queue(double bytes, int64_t round) {
    if (timing_.memory_bytes <= 0) return 0;
    backlog_ = std::max(0.0, backlog_ - timing_.memory_bytes * static_cast<double>(round - last_round_)) + bytes;
    last_round_ = round;
    return static_cast<int64_t>(backlog_ / timing_.memory_bytes);
  }

  Timing timing_;
  RandomNumbers random_;
  std::vector<int64_t> arrival_;  // by object; empty where nobody waits
  double backlog_ = 0;            // bytes asked for and not yet delivered, as of last_round_
  int64_t last_round_ = 0;
};

// Each slot issues one phase a round, and takes the next id when it is done.
class Slots {
 public:
  Slots(size_t count, const ObjectStream& stream, const Timing& timing = {}, uint64_t seed = 0)
      : phase_(count, 0),
        end_(count, 0),
        ready_(timing.lock_step() ? 0 : count, 0),
        order_(timing.shuffled ? count : 0),
        random_(seed),
        stream_(&stream) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    constexpr uint64_t kSteps = 1 << 20;
    for (size_t slot = 0; timing.uneven > 0 && slot < count; ++slot)
      slowness_.push_back(timing.uneven * static_cast<double>(random_.below(kSteps)) / kSteps);
    lag_ = slowness_;
  }
  size_t size() const { return phase_.size(); }
  // Calls issue(slot, phase) for every slot that has work and does not wait, after refilling it from next(), which
  // answers a tile or -1 at the end. issue answers the round from which on the slot may go on. False when all is done.
  template <class Next, class Issue>
  bool round(Next next, Issue issue) {
    shuffle();
    bool any = false;
    for (size_t i = 0; i < phase_.size(); ++i) {
      const size_t slot = order_.empty() ? i : order_[i];
      if (!ready_.empty() && ready_[slot] > rounds_) {
        any = true;
        continue;
      }
      while (phase_[slot] == end_[slot]) {
        const int32_t tile = next();
        if (tile < 0) break;
        phase_[slot] = stream_->tile_begin[static_cast<size_t>(tile)];
        end_[slot] = stream_->tile_begin[static_cast<size_t>(tile) + 1];
      }
      if (phase_[slot] == end_[slot]) continue;
      any = true;
      ++issued_;
      const int64_t ready = issue(slot, phase_[slot]++);
      if (!ready_.empty()) ready_[slot] = ready + lag(slot, ready);
    }
    rounds_ += any ? 1 : 0;
    return any;
  }
  int64_t rounds() const { return rounds_; }
  int64_t issued() const { return issued_; }

 private:
  void shuffle() {
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.below(i)]);
  }

  // Rounds that a slow slot loses after a phase: what it lags adds up until it is a whole round.
  int64_t lag(size_t slot, int64_t ready) {
    if (slowness_.empty()) return 0;
    lag_[slot] += slowness_[slot];
    if (lag_[slot] < 1) return 0;
    lag_[slot] -= 1;
    return std::max<int64_t>(rounds_ + 1 - ready, 0) + 1;
  }

  std::vector<int64_t> phase_;
  std::vector<int64_t> end_;
  std::vector<int64_t> ready_;    // empty in lock step
  std::vector<size_t> order_;     // empty unless shuffled
  std::vector<double> slowness_;  // rounds a phase; empty where all slots are alike
  std::vector<double> lag_;
  RandomNumbers random_;
  const ObjectStream* stream_;
  int64_t rounds_ = 0;
  int64_t issued_ = 0;
};

}  // namespace swizzleperf

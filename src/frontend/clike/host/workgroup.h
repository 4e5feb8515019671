// Runs the threads of one workgroup as fibers: barriers and wave operations are switches between them.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "swizzle/grid.h"

namespace swizzleperf::host {

// As the shim numbers them. kGather: every lane gets the table of the values of all lanes that take part.
enum class WaveKind { kShfl, kShflUp, kShflDown, kShflXor, kBallot, kSync, kGather };

struct WaveOperation {
  WaveKind kind = WaveKind::kSync;
  unsigned long long value = 0;
  int argument = 0;
  int width = 0;
  unsigned long long mask = 0;  // lanes that must take part; 0: those that are there
  unsigned long long result = 0;
};

class Workgroup {
 public:
  static constexpr size_t kStackBytes = 256 << 10;  // of a thread
  static constexpr size_t kMaxLanes = 64;

  Workgroup(const Grid& block, int wave_lanes, std::function<void()> kernel);
  ~Workgroup();
  Workgroup(const Workgroup&) = delete;
  Workgroup& operator=(const Workgroup&) = delete;

  // Runs all threads to their end, or until `stop` answers true between two switches. False when stopped.
  bool run(const std::function<bool()>& stop);

  // Called from inside a thread's fiber. The number of threads whose predicate is true, and in the high half of those
  // that waited.
  unsigned long long barrier(bool predicate, uintptr_t site);
  unsigned long long wave_operation(WaveOperation operation, uintptr_t site);
  // The thread looks at an address that somebody else must write: lets the others run. Ends the process where all of
  // them wait.
  void yield(const void* address, uintptr_t site);
  // The thread does something else than looking at the same addresses.
  void progress() { threads_[static_cast<size_t>(current_)].fruitless = 0; }

  int thread() const { return current_; }
  uint32_t epoch() const { return threads_[static_cast<size_t>(current_)].epoch; }
  bool on_own_stack(const unsigned char* address, int64_t size) const {
    const unsigned char* end = stacks_ + static_cast<size_t>(current_ + 1) * kStride;
    return address >= end - kStackBytes && address + size <= end;
  }
  bool on_any_stack(const unsigned char* address) const { return address >= stacks_ && address < stacks_end_; }
  // In the forbidden zone below the running thread's stack?
  bool on_guard(const unsigned char* address) const {
    const unsigned char* begin = stacks_ + static_cast<size_t>(current_) * kStride;
    return address >= begin && address < begin + kGuardBytes;
  }

 private:
  static constexpr size_t kGuardBytes = 64 << 10;
  static constexpr size_t kStride = kStackBytes + kGuardBytes;
  enum class State : uint8_t { kReady, kBarrier, kWave, kDone };
  struct Thread {
    boost::context::fiber fiber;
    State state = State::kReady;
    bool predicate = false;
    uint32_t epoch = 0;
    uint32_t fruitless = 0;  // turns in which it only looked at the same addresses
    uintptr_t site = 0;
    const void* address = nullptr;  // that it waits for
    WaveOperation operation;
  };
  // Lanes of a wave that meet in one operation.
  struct Meeting {
    uintptr_t site = 0;
    unsigned long long mask = 0;
    unsigned long long lanes = 0;
  };
  void start_threads();
  void resume(int thread);
  void suspend();
  std::vector<Meeting> meetings(int first, int end) const;
  bool complete(const Meeting& meeting, int first, int end) const;
  [[noreturn]] void fail_missing_lane(const Meeting& meeting, int first, int end);
  void answer(const Meeting& meeting, int first);
  bool finish_wave_operations(int first, int end);
  void release_barrier();
  bool all_fruitless() const;

  Grid block_;
  int wave_lanes_;
  std::function<void()> kernel_;
  std::vector<Thread> threads_;
  std::vector<std::array<unsigned long long, kMaxLanes + 1>> tables_;  // by wave: values, then the lanes that take part
  boost::context::fiber scheduler_;
  int current_ = 0;
  unsigned long long barrier_count_ = 0;  // of the last barrier, as barrier() returns it
  unsigned char* stacks_ = nullptr;
  unsigned char* stacks_end_ = nullptr;
};

// Set by the host before a workgroup runs; read by the kernel.
void set_thread_index(const Grid& block, int thread);

}  // namespace swizzleperf::host

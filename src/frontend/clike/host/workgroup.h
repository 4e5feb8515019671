// Runs the threads of one workgroup as fibers: barriers and wave operations are switches between them.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "swizzle/grid.h"

namespace swizzleperf::host {

struct WaveOperation {
  int kind = 0;
  unsigned long long value = 0;
  int argument = 0;
  int width = 0;
  unsigned long long mask = 0;
  unsigned long long result = 0;
};

class Workgroup {
 public:
  Workgroup(const Grid& block, int wave_lanes, std::function<void()> kernel);
  ~Workgroup();
  Workgroup(const Workgroup&) = delete;
  Workgroup& operator=(const Workgroup&) = delete;

  // Runs all threads to their end, or until `stop` answers true between two switches. False when stopped.
  bool run(const std::function<bool()>& stop);

  // Called from inside a thread's fiber.
  void barrier(uintptr_t site);
  unsigned long long wave_operation(WaveOperation operation, uintptr_t site);
  int thread() const { return current_; }
  uint32_t epoch() const { return threads_[static_cast<size_t>(current_)].epoch; }
  bool on_stack(const void* address) const { return address >= stacks_ && address < stacks_end_; }

 private:
  enum class State : uint8_t { kReady, kBarrier, kWave, kDone };
  struct Thread {
    boost::context::fiber fiber;
    State state = State::kReady;
    uintptr_t site = 0;
    uint32_t epoch = 0;
    WaveOperation operation;
  };
  void start_threads();
  void resume(int thread);
  void suspend();
  bool finish_wave_operations(int first, int end);
  void release_barrier();

  Grid block_;
  int wave_lanes_;
  std::function<void()> kernel_;
  std::vector<Thread> threads_;
  boost::context::fiber scheduler_;
  int current_ = 0;
  unsigned char* stacks_ = nullptr;
  unsigned char* stacks_end_ = nullptr;
};

// Set by the host before a workgroup runs; read by the kernel.
void set_thread_index(const Grid& block, int thread);

}  // namespace swizzleperf::host

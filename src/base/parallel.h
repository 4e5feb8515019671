// Work on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "base/process.h"

namespace swizzleperf {

// Runs work(i) for 0 <= i < count on several threads, until interrupted; results must depend on i alone.
template <class Work>
void parallel_for(size_t count, int threads, Work work) {
  std::atomic<size_t> next{0};
  const auto loop = [&] {
    for (size_t i = next++; i < count && !interrupted(); i = next++) work(i);
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < threads; ++t) pool.emplace_back(loop);
  loop();
  for (auto& thread : pool) thread.join();
}

}  // namespace swizzleperf

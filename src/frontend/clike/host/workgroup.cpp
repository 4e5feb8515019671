#include "frontend/clike/host/workgroup.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "frontend/clike/host/memory.h"

namespace swizzleperf::host {
namespace {

namespace context = boost::context;

constexpr size_t kStackBytes =
    256 << 10;  // of a thread; a kernel with larger local arrays than this is reported as a crash

// Kinds of wave operations, as the shim numbers them.
enum { kShfl, kShflUp, kShflDown, kShflXor, kBallot, kSync };

// A stack that belongs to the workgroup's pool: the fiber must not free it.
struct PooledStack {
  static void deallocate(context::stack_context& /*stack*/) {}
};

}  // namespace

Workgroup::Workgroup(const Grid& block, int wave_lanes, std::function<void()> kernel)
    : block_(block), wave_lanes_(wave_lanes), kernel_(std::move(kernel)), threads_(static_cast<size_t>(block.size())) {
  const size_t bytes = kStackBytes * threads_.size();
  void* stacks = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) fail("internal", "no memory for the stacks of a workgroup's threads");
  stacks_ = static_cast<unsigned char*>(stacks);
  stacks_end_ = stacks_ + bytes;
}

Workgroup::~Workgroup() {
  for (Thread& thread : threads_) thread.fiber = {};
  munmap(stacks_, static_cast<size_t>(stacks_end_ - stacks_));
}

void Workgroup::start_threads() {
  for (size_t i = 0; i < threads_.size(); ++i) {
    context::stack_context stack;
    stack.size = kStackBytes;
    stack.sp = stacks_ + (i + 1) * kStackBytes;
    threads_[i].state = State::kReady;
    threads_[i].epoch = 0;
    threads_[i].fiber = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                                       PooledStack{}, [this, i](context::fiber&& scheduler) {
                                         scheduler_ = std::move(scheduler);
                                         kernel_();
                                         threads_[i].state = State::kDone;
                                         return std::move(scheduler_);
                                       });
  }
}

void Workgroup::resume(int thread) {
  current_ = thread;
  set_thread_index(block_, thread);
  Thread& target = threads_[static_cast<size_t>(thread)];
  target.fiber = std::move(target.fiber).resume();
}

void Workgroup::suspend() {
  scheduler_ = std::move(scheduler_).resume();
}

void Workgroup::barrier(uintptr_t site) {
  Thread& self = threads_[static_cast<size_t>(current_)];
  self.state = State::kBarrier;
  self.site = site;
  suspend();
}

unsigned long long Workgroup::wave_operation(WaveOperation operation, uintptr_t site) {
  Thread& self = threads_[static_cast<size_t>(current_)];
  self.state = State::kWave;
  self.site = site;
  self.operation = operation;
  suspend();
  return self.operation.result;
}

// All lanes of the wave are blocked or done: lanes that wait at the same site form one operation.
bool Workgroup::finish_wave_operations(int first, int end) {
  const auto lane = [&](int i) -> Thread& { return threads_[static_cast<size_t>(i)]; };
  int leader = first;
  while (leader < end && lane(leader).state != State::kWave) ++leader;
  if (leader == end) return false;
  const uintptr_t site = lane(leader).site;
  std::vector<int> members;
  unsigned long long ballot = 0;
  for (int i = leader; i < end; ++i) {
    if (lane(i).state != State::kWave || lane(i).site != site) continue;
    members.push_back(i);
    if (lane(i).operation.value != 0) ballot |= 1ULL << static_cast<unsigned>(i - first);
  }
  const auto member_value = [&](int i, unsigned long long otherwise) {
    return i >= first && i < end && lane(i).state == State::kWave && lane(i).site == site ? lane(i).operation.value
                                                                                          : otherwise;
  };
  for (const int i : members) {
    WaveOperation& operation = lane(i).operation;
    const int width = operation.width > 0 ? std::min(operation.width, wave_lanes_) : wave_lanes_;
    const int base = first + (i - first) / width * width;
    const int own = i - base;
    int source = own;
    switch (operation.kind) {
      case kShfl:
        source = ((operation.argument % width) + width) % width;
        break;
      case kShflUp:
        source = own - operation.argument < 0 ? own : own - operation.argument;
        break;
      case kShflDown:
        source = own + operation.argument >= width ? own : own + operation.argument;
        break;
      case kShflXor:
        source = (own ^ operation.argument) >= width ? own : own ^ operation.argument;
        break;
      default:
        break;
    }
    operation.result = operation.kind == kBallot ? ballot : member_value(base + source, operation.value);
  }
  for (const int i : members) lane(i).state = State::kReady;
  return true;
}

// Every thread that has not ended waits at a barrier.
void Workgroup::release_barrier() {
  uintptr_t site = 0;
  for (const Thread& thread : threads_) {
    if (thread.state != State::kBarrier) continue;
    if (site == 0) site = thread.site;
    if (thread.site != site)
      fail("user", "barrier deadlock: threads of a workgroup wait at two different barriers", site, thread.site);
  }
  for (Thread& thread : threads_) {
    if (thread.state != State::kBarrier) continue;
    thread.state = State::kReady;
    ++thread.epoch;
  }
}

bool Workgroup::run(const std::function<bool()>& stop) {
  start_threads();
  const int count = static_cast<int>(threads_.size());
  while (true) {
    for (int first = 0; first < count; first += wave_lanes_) {
      const int end = std::min(count, first + wave_lanes_);
      do {
        for (int i = first; i < end; ++i) {
          if (threads_[static_cast<size_t>(i)].state == State::kReady) resume(i);
        }
      } while (finish_wave_operations(first, end));
    }
    if (std::all_of(threads_.begin(), threads_.end(),
                    [](const Thread& thread) { return thread.state == State::kDone; }))
      return true;
    // Stopped only where every thread is at a barrier: what was recorded so far is whole.
    if (stop()) {
      for (Thread& thread : threads_) thread.fiber = {};  // unwinds: nothing of the kernel runs after this
      return false;
    }
    release_barrier();
  }
}

}  // namespace swizzleperf::host

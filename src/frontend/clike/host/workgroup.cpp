#include "frontend/clike/host/workgroup.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "frontend/clike/host/access.h"
#include "frontend/clike/host/failure.h"

namespace swizzleperf::host {
namespace {

namespace context = boost::context;

// Turns in which every thread that can run only looked at the same addresses: then nobody will ever write them.
constexpr uint32_t kFruitlessTurns = 50;

// A stack that belongs to the workgroup's pool: the fiber must not free it.
struct PooledStack {
  static void deallocate(context::stack_context& /*stack*/) {}
};

}  // namespace

Workgroup::Workgroup(const Grid& block, int wave_lanes, std::function<void()> kernel)
    : block_(block), wave_lanes_(wave_lanes), kernel_(std::move(kernel)), threads_(static_cast<size_t>(block.size())) {
  tables_.resize((threads_.size() + static_cast<size_t>(wave_lanes) - 1) / static_cast<size_t>(wave_lanes));
  const size_t bytes = kStride * threads_.size();
  void* stacks = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) fail("internal", "no memory for the stacks of a workgroup's threads");
  stacks_ = static_cast<unsigned char*>(stacks);
  stacks_end_ = stacks_ + bytes;
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (mprotect(stacks_ + i * kStride + kGuardBytes, kStackBytes, PROT_READ | PROT_WRITE) != 0)
      fail("internal", "no memory for the stacks of a workgroup's threads");
  }
}

Workgroup::~Workgroup() {
  for (Thread& thread : threads_) thread.fiber = {};
  munmap(stacks_, static_cast<size_t>(stacks_end_ - stacks_));
}

void Workgroup::start_threads() {
  for (size_t i = 0; i < threads_.size(); ++i) {
    context::stack_context stack;
    stack.size = kStackBytes;
    stack.sp = stacks_ + (i + 1) * kStride;
    threads_[i].state = State::kReady;
    threads_[i].epoch = 0;
    threads_[i].fruitless = 0;
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

unsigned long long Workgroup::barrier(bool predicate, uintptr_t site) {
  Thread& self = threads_[static_cast<size_t>(current_)];
  self.state = State::kBarrier;
  self.site = site;
  self.predicate = predicate;
  self.fruitless = 0;
  suspend();
  return barrier_count_;
}

unsigned long long Workgroup::wave_operation(WaveOperation operation, uintptr_t site) {
  Thread& self = threads_[static_cast<size_t>(current_)];
  self.state = State::kWave;
  self.site = site;
  self.operation = operation;
  self.fruitless = 0;
  suspend();
  return self.operation.result;
}

void Workgroup::yield(const void* address, uintptr_t site) {
  Thread& self = threads_[static_cast<size_t>(current_)];
  ++self.fruitless;
  self.address = address;
  self.site = site;
  if (all_fruitless()) fail_spinning(address, site);
  suspend();
}

bool Workgroup::all_fruitless() const {
  return std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) {
    return thread.state != State::kReady || thread.fruitless > kFruitlessTurns;
  });
}

// Lanes that wait at the same place with the same mask meet.
std::vector<Workgroup::Meeting> Workgroup::meetings(int first, int end) const {
  std::vector<Meeting> result;
  for (int i = first; i < end; ++i) {
    const Thread& lane = threads_[static_cast<size_t>(i)];
    if (lane.state != State::kWave) continue;
    const auto found = std::find_if(result.begin(), result.end(), [&](const Meeting& meeting) {
      return meeting.site == lane.site && meeting.mask == lane.operation.mask;
    });
    Meeting& meeting = found != result.end() ? *found : result.emplace_back(lane.site, lane.operation.mask);
    meeting.lanes |= 1ULL << static_cast<unsigned>(i - first);
  }
  return result;
}

// Is every lane there that the mask names? Lanes that have ended are not waited for; without a mask, the operation
// takes whoever is there once no lane of the wave can run on.
bool Workgroup::complete(const Meeting& meeting, int first, int end) const {
  for (int i = first; i < end; ++i) {
    const unsigned long long bit = 1ULL << static_cast<unsigned>(i - first);
    const State state = threads_[static_cast<size_t>(i)].state;
    if (meeting.mask == 0 && state == State::kReady) return false;
    if ((meeting.mask & bit) != 0 && (meeting.lanes & bit) == 0 && state != State::kDone) return false;
  }
  return true;
}

void Workgroup::fail_missing_lane(const Meeting& meeting, int first, int end) {
  for (int i = first; i < end; ++i) {
    const unsigned long long bit = 1ULL << static_cast<unsigned>(i - first);
    const Thread& lane = threads_[static_cast<size_t>(i)];
    if ((meeting.mask & bit) == 0 || (meeting.lanes & bit) != 0 || lane.state == State::kDone) continue;
    current_ = i;
    fail("user",
         fmt::format("wave deadlock: the mask {:#x} names lane {}, which waits elsewhere{}", meeting.mask, i - first,
                     who()),
         meeting.site, lane.site);
  }
  fail("internal", "a wave operation cannot end");
}

// The lane that a lane of a shuffle reads from.
static int source_lane(const WaveOperation& operation, int own, int width) {
  switch (operation.kind) {
    case WaveKind::kShfl:
      return ((operation.argument % width) + width) % width;
    case WaveKind::kShflUp:
      return own - operation.argument < 0 ? own : own - operation.argument;
    case WaveKind::kShflDown:
      return own + operation.argument >= width ? own : own + operation.argument;
    case WaveKind::kShflXor:
      return (own ^ operation.argument) >= width ? own : own ^ operation.argument;
    default:
      return own;
  }
}

void Workgroup::answer(const Meeting& meeting, int first) {
  auto& table = tables_[static_cast<size_t>(first / wave_lanes_)];
  const auto takes_part = [&](int lane) { return (meeting.lanes >> static_cast<unsigned>(lane) & 1) != 0; };
  unsigned long long ballot = 0;
  for (int lane = 0; lane < wave_lanes_; ++lane) {
    if (!takes_part(lane)) continue;
    table[static_cast<size_t>(lane)] = threads_[static_cast<size_t>(first + lane)].operation.value;
    if (table[static_cast<size_t>(lane)] != 0) ballot |= 1ULL << static_cast<unsigned>(lane);
  }
  table[kMaxLanes] = meeting.lanes;
  for (int lane = 0; lane < wave_lanes_; ++lane) {
    if (!takes_part(lane)) continue;
    Thread& thread = threads_[static_cast<size_t>(first + lane)];
    WaveOperation& operation = thread.operation;
    const int width = operation.width > 0 ? std::min(operation.width, wave_lanes_) : wave_lanes_;
    const int base = lane / width * width;
    const int source = base + source_lane(operation, lane - base, width);
    thread.state = State::kReady;
    if (operation.kind == WaveKind::kBallot) {
      operation.result = ballot;
    } else if (operation.kind == WaveKind::kGather) {
      operation.result = reinterpret_cast<unsigned long long>(table.data());
    } else {
      operation.result = takes_part(source) ? table[static_cast<size_t>(source)] : operation.value;
    }
  }
}

// Answers one operation whose lanes are all there. False where there is none.
bool Workgroup::finish_wave_operations(int first, int end) {
  const std::vector<Meeting> waiting = meetings(first, end);
  for (const Meeting& meeting : waiting) {
    if (!complete(meeting, first, end)) continue;
    answer(meeting, first);
    return true;
  }
  const bool runs_on = std::any_of(threads_.begin() + first, threads_.begin() + end,
                                   [](const Thread& thread) { return thread.state == State::kReady; });
  if (!waiting.empty() && !runs_on) fail_missing_lane(waiting.front(), first, end);
  return false;
}

// Every thread that has not ended waits at a barrier.
void Workgroup::release_barrier() {
  const Thread* leader = nullptr;
  barrier_count_ = 0;
  for (const Thread& thread : threads_) {
    if (thread.state != State::kBarrier) continue;
    if (leader == nullptr) leader = &thread;
    if (thread.site != leader->site) {
      current_ = static_cast<int>(&thread - threads_.data());
      fail("user", "barrier deadlock: threads of a workgroup wait at two different barriers" + who(), leader->site,
           thread.site);
    }
    barrier_count_ += (1ULL << 32U) + (thread.predicate ? 1 : 0);
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
  const auto all = [&](auto condition) { return std::all_of(threads_.begin(), threads_.end(), condition); };
  while (true) {
    for (int first = 0; first < count; first += wave_lanes_) {
      const int end = std::min(count, first + wave_lanes_);
      do {
        for (int i = first; i < end; ++i) {
          if (threads_[static_cast<size_t>(i)].state == State::kReady) resume(i);
        }
      } while (finish_wave_operations(first, end));
    }
    if (all([](const Thread& thread) { return thread.state == State::kDone; })) return true;
    // A thread that looks at memory for what another one writes can still run.
    if (!all([](const Thread& thread) { return thread.state == State::kDone || thread.state == State::kBarrier; }))
      continue;
    // Stopped only where every thread is at a barrier: what was recorded so far is whole.
    if (stop()) {
      for (Thread& thread : threads_) thread.fiber = {};  // unwinds: nothing of the kernel runs after this
      return false;
    }
    release_barrier();
  }
}

}  // namespace swizzleperf::host

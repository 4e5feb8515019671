#include "frontend/triton/footprint.h"

namespace swizzleperf::triton {

FootprintSink::FootprintSink(const CaseInstance& instance, const Launch& launch) : patterns_(launch) {
  empty_.grid = {1, 1, 1};
  empty_.threads_per_workgroup = launch.threads;
  for (const Argument& argument : instance.arguments) {
    if (argument.buffer)
      empty_.arrays.push_back({argument.name, argument.elements * size_of(argument.dtype), size_of(argument.dtype)});
  }
  empty_.phase_begin = {0};
}

void FootprintSink::begin(int64_t tile, int64_t prefix) {
  tile_ = {.tile = tile, .footprint = empty_};
  local_.clear();
  prefix_ = prefix;
  segments_ = 0;
  stopped_ = false;
}

void FootprintSink::add(int buffer, AccessKind kind, int64_t origin, int32_t pattern) {
  Workload& footprint = tile_.footprint;
  const auto [found, added] = local_.try_emplace(pattern, static_cast<int32_t>(footprint.patterns.size()));
  if (added) footprint.patterns.push_back(patterns_.at(pattern));
  footprint.accesses.push_back({origin, found->second, static_cast<int16_t>(buffer), kind});
  segments_ += static_cast<int64_t>(patterns_.at(pattern).segments.size());
  ++tile_.instructions;
}

void FootprintSink::access(const AccessEvent& event) {
  if (event.addresses != nullptr) {
    // One access a wave instruction: what several of them share is for the L1 to find.
    for (const auto& wave : patterns_.gathered(*event.addresses, event.bytes))
      add(event.buffer, event.kind, wave.origin, wave.pattern);
    return;
  }
  if (!event.elements->type->tensor) return add(event.buffer, event.kind, event.base, patterns_.one(event.bytes));
  const Placed placed = patterns_.structured(*event.elements, event.node->site);
  if (placed.pattern >= 0) add(event.buffer, event.kind, event.base + placed.offset, placed.pattern);
}

void FootprintSink::end_phase() {
  Workload& footprint = tile_.footprint;
  const auto count = static_cast<int64_t>(footprint.accesses.size());
  if (footprint.phase_begin.back() == count) return;
  footprint.phase_begin.push_back(count);
  stopped_ = prefix_ > 0 && segments_ >= prefix_;
}

TracedTile FootprintSink::finish() {
  tile_.complete = !stopped_;
  tile_.footprint.tile_begin = {0, static_cast<int64_t>(tile_.footprint.phase_begin.size()) - 1};
  return std::move(tile_);
}

}  // namespace swizzleperf::triton

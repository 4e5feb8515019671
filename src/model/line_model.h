// The line-accurate engine as a caller sees it: every cache line by itself, in its set of the L2. Slower than the
// object engine by one to two orders of magnitude; for where objects are not good enough.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "model/line_cache.h"
#include "model/prediction.h"

namespace swizzleperf {

struct Counts;

class LineModel {
 public:
  // Unsupported when the lines are too many to be simulated one by one.
  static Expected<LineModel> create(const Workload& workload, const GpuSpec& gpu,
                                    LineKernel kernel = LineKernel::kBest);
  LineModel(LineModel&&) noexcept;
  LineModel& operator=(LineModel&&) noexcept;
  ~LineModel();

  // Thread-safe: const, own scratch per call.
  Counts simulate(const Order& order, int64_t occupancy) const;

 private:
  struct State;
  explicit LineModel(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

// Why the object engine may be off for this workload on this GPU, in words for the user; nothing where it is as good as
// lines: the L2's set index is the line's lowest bits and the lines of an access crowd into few sets (a row pitch of a
// power of two), or objects are so large that lists fill up in the middle of them.
std::optional<std::string> doubt_about_objects(const Workload& workload, const GpuSpec& gpu);

}  // namespace swizzleperf

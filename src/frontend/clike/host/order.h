// Order dependence: does a workgroup touch a byte that another one writes in the same launch?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace swizzleperf::host {

enum class Touch { kRead, kWrite, kAtomic };

class OrderWatch {
 public:
  explicit OrderWatch(const std::vector<int64_t>& buffer_bytes);
  void touch(int buffer, int64_t offset, int size, Touch kind, int32_t wg, uintptr_t site);
  struct Conflict {
    bool found = false;
    int buffer = 0;
    int64_t offset = 0;
    int32_t first_wg = 0;  // -1: several
    int32_t second_wg = 0;
    uintptr_t site = 0;
  };
  const Conflict& conflict() const { return conflict_; }
  bool atomics() const { return atomics_; }
  // How often each byte of a buffer was written, saturating at 255.
  const std::vector<uint8_t>& writes(int buffer) const { return writes_[static_cast<size_t>(buffer)]; }

 private:
  static constexpr int32_t kNobody = -1;
  static constexpr int32_t kSeveral = -2;
  static constexpr int32_t kAtomically = -3;  // by commutative atomics of any workgroups
  void record(int buffer, int64_t offset, int32_t other, int32_t wg, uintptr_t site);

  std::vector<std::vector<int32_t>> writer_;
  std::vector<std::vector<int32_t>> reader_;
  std::vector<std::vector<uint8_t>> writes_;
  Conflict conflict_;
  bool atomics_ = false;
};

}  // namespace swizzleperf::host

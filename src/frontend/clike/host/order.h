// Order dependence: does a workgroup touch a byte that another one writes in the same launch?
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace swizzleperf::host {

// Atomic operations are writes. Those from kAdd on commute with themselves, as long as nobody looks at their result: a
// result that is used counts as a read of its own.
enum class Touch : uint8_t { kRead, kWrite, kAdd, kMin, kMax, kAnd, kOr, kXor };

class OrderWatch {
 public:
  // One watched range a buffer. Ends the process with a message where there is no memory for it.
  explicit OrderWatch(const std::vector<int64_t>& buffer_bytes);
  // A plain write over another workgroup's plain write is harmless where the value stays the same, which only the
  // caller can see. Returns who wrote before (a number that overwritten() understands), 0 where that is no matter.
  int32_t touch(int buffer, int64_t offset, int64_t size, Touch kind, int32_t wg, uintptr_t site);
  // The value did not stay the same.
  void overwritten(int buffer, int64_t offset, int32_t before, int32_t wg, uintptr_t site) {
    record(buffer, offset, before, wg, false, site);
  }
  // Floating-point sums depend on the order in their last bits only: outputs need a tolerance.
  void note_rounding() { rounding_ = true; }
  struct Conflict {
    bool found = false;
    int buffer = 0;
    int64_t offset = 0;
    int32_t first_wg = 0;  // -1: several
    int32_t second_wg = 0;
    bool reads = false;  // the second one reads
    uintptr_t site = 0;  // of the second access
  };
  const Conflict& conflict() const { return conflict_; }
  bool rounding() const { return rounding_; }
  // Hash of how often each byte of a buffer was written (up to 255 times), and how many bytes never were.
  uint64_t hash_of_writes(int buffer) const;
  int64_t unwritten(int buffer) const;

 private:
  static constexpr int32_t kNobody = 0;
  static constexpr int32_t kSeveral = -1;
  // What has happened to one byte; all zero at the start, so that untouched memory costs nothing.
  struct Cell {
    int32_t writer;  // workgroup + 1
    int32_t reader;
    Touch kind;    // of all its writes; kWrite where they differ
    bool updated;  // by an atomic operation, ever
    uint8_t writes;
  };
  struct Unmap {
    size_t bytes;
    void operator()(Cell* cells) const;
  };
  struct Range {
    std::unique_ptr<Cell, Unmap> cells;
    int64_t bytes = 0;
  };
  void record(int buffer, int64_t offset, int32_t other, int32_t wg, bool reads, uintptr_t site);

  std::vector<Range> ranges_;
  Conflict conflict_;
  bool rounding_ = false;
};

}  // namespace swizzleperf::host

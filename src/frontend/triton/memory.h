// The arguments of a launch: where buffers lie, and what they hold before it. Private to src/frontend/triton.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "frontend/triton/datum.h"
#include "workload/case.h"

namespace swizzleperf::triton {

// Buffers lie far apart, so that an address tells its buffer: buffer i begins at (i + 1) << kBufferShift. Buffers hold
// at most 2^40 bytes; what lies beside them is an error of the kernel.
inline constexpr int kBufferShift = 44;

struct Location {
  int buffer = -1;  // -1: no buffer is near
  int64_t offset = 0;
};

class Memory {
 public:
  explicit Memory(const CaseInstance& instance);

  int64_t address(int buffer) const { return (static_cast<int64_t>(buffer) + 1) << kBufferShift; }
  Location locate(int64_t address) const;
  int64_t bytes(int buffer) const { return buffers_[static_cast<size_t>(buffer)].bytes; }
  const std::string& name(int buffer) const { return buffers_[static_cast<size_t>(buffer)].argument->name; }
  size_t size() const { return buffers_.size(); }
  // The initial contents, `bytes` (1 to 8) of them, which lie inside. User error where a file cannot be read.
  Expected<uint64_t> read(int buffer, int64_t offset, int64_t bytes) const;

 private:
  struct Buffer {
    const Argument* argument = nullptr;
    int64_t bytes = 0;
    std::unordered_map<int64_t, std::string> chunks;  // by number; filled when they are first read
    std::string file;                                 // contents of an .npy file
    bool loaded = false;
  };
  Expected<const std::string*> chunk(Buffer& buffer, int64_t number) const;
  mutable std::mutex mutex_;
  mutable std::vector<Buffer> buffers_;
};

}  // namespace swizzleperf::triton

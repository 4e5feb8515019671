// The buffers of a traced kernel: real addresses with guard zones, filled when first touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/case.h"

namespace swizzleperf::host {

struct Buffer {
  Argument argument;
  unsigned char* base = nullptr;
  int64_t bytes = 0;
  std::string npy_data;  // contents, where the case names a file
};

// One reserved range of addresses for all buffers of the process.
class Memory {
 public:
  // Ends the process with a message where the reservation is refused.
  void reserve(const std::vector<Argument>& arguments);
  std::vector<Buffer>& buffers() { return buffers_; }

  bool contains(const void* address) const { return address >= begin_ && address < end_; }
  // Index of the buffer that holds the whole access, or -1.
  int find(const unsigned char* address, int64_t size) const;
  // The buffer nearest to an address inside the arena, for messages.
  int nearest(const unsigned char* address) const;
  // Fills the chunk around a faulting address; false when no buffer lies there.
  bool fill_chunk(unsigned char* address);
  // Makes a whole buffer present and returns its bytes.
  std::string content(int index);

 private:
  void reserve_range(const std::vector<Argument>& arguments);

  std::vector<Buffer> buffers_;
  mutable size_t last_ = 0;  // the buffer that was found last
  int64_t guard_ = 0;        // forbidden bytes around buffers
  unsigned char* begin_ = nullptr;
  unsigned char* end_ = nullptr;
};

}  // namespace swizzleperf::host

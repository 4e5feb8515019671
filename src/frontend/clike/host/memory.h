// The buffers of a traced kernel: real addresses with guard zones, filled where they are touched, page by page: a
// kernel that walks down a column of a large matrix touches little of it.
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
  std::string npy_data;         // contents, where the case names a file
  int64_t slab = 0;             // bytes whose protection changes at once
  std::vector<uint8_t> open;    // by slab: may be touched
  std::vector<uint8_t> filled;  // by page
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
  // Called before the kernel touches bytes of a buffer, which lie in it.
  void make_present(int index, int64_t offset, int64_t size) {
    const std::vector<uint8_t>& filled = buffers_[static_cast<size_t>(index)].filled;
    const auto first = static_cast<size_t>(offset / kPage), last = static_cast<size_t>((offset + size - 1) / kPage);
    if (last - first > 1 || filled[first] == 0 || filled[last] == 0) fill_pages(index, first, last);
  }
  // Fills the slab around a faulting address, for code that reports no accesses; false when no buffer lies there.
  bool fill_slab(const unsigned char* address);
  // Makes a whole buffer present and returns its bytes.
  std::string content(int index);

 private:
  static constexpr int64_t kPage = 4096;

  static void open_slab(Buffer& buffer, int64_t slab);
  void fill_pages(int index, size_t first, size_t last);
  void reserve_range(const std::vector<Argument>& arguments);

  std::vector<Buffer> buffers_;
  mutable size_t last_ = 0;  // the buffer that was found last
  int64_t guard_ = 0;        // forbidden bytes around buffers
  unsigned char* begin_ = nullptr;
  unsigned char* end_ = nullptr;
};

}  // namespace swizzleperf::host

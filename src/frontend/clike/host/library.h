// The kernel's library in memory: its image, its shared memory (the thread-local block), and the objects in both.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

struct dl_phdr_info;

namespace swizzleperf::host {

// A variable of the library.
struct Object {
  std::string name;
  const unsigned char* begin = nullptr;
  int64_t bytes = 0;
  bool zeros = false;    // the source gives it no value but zeros
  bool written = false;  // by the kernel
};

class Library {
 public:
  // Loads the library that the request names; ends the process with a message where that fails.
  void load(const nlohmann::json& request);
  void* function(const char* name) const;
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(begin_); }
  int64_t bytes() const { return end_ - begin_; }
  bool contains(const unsigned char* address) const { return address >= begin_ && address < end_; }
  bool in_shared(const unsigned char* address) const { return address >= shared_begin_ && address < shared_end_; }
  // Ends the process where the access does not lie within one shared array.
  void check_shared(const unsigned char* address, int64_t size, uintptr_t site) {
    if (last_.holds(address, size)) return;
    // Loops of a tiled kernel take turns between two arrays.
    std::swap(last_, before_last_);
    if (!last_.holds(address, size)) find_shared(address, size, site);
  }
  // The variable of the image that holds the address; null for what has no name, like literals.
  Object* global(const unsigned char* address);
  const std::vector<Object>& globals() const { return globals_; }

 private:
  struct Extent {
    const unsigned char* begin = nullptr;
    const unsigned char* end = nullptr;
    bool holds(const unsigned char* address, int64_t size) const { return address >= begin && address + size <= end; }
  };
  void find_shared(const unsigned char* address, int64_t size, uintptr_t site);
  static int find_ranges(dl_phdr_info* info, size_t size, void* self);

  void* handle_ = nullptr;
  std::string name_;
  const unsigned char* begin_ = nullptr;
  const unsigned char* end_ = nullptr;
  const unsigned char* shared_begin_ = nullptr;
  const unsigned char* shared_end_ = nullptr;
  Extent last_, before_last_;    // shared arrays of the last accesses
  std::vector<Object> shared_;   // by address
  std::vector<Object> globals_;  // by address
};

}  // namespace swizzleperf::host

#include "frontend/clike/host/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "frontend/clike/host/failure.h"
#include "workload/fill.h"
#include "workload/npy.h"

namespace swizzleperf::host {
namespace {

// The system keeps count of ranges of equal protection, 65,530 at most by default: not so many slabs of a buffer.
constexpr int64_t kSmallestSlab = 64 << 10;
constexpr int64_t kSlabs = 8192;
// Around buffers: an index that runs over lands here, any 32-bit index of 4-byte elements included. Smaller where the
// system has less address space to give.
constexpr int64_t kGuards[] = {int64_t{16} << 30, int64_t{1} << 30, int64_t{1} << 20};

int64_t round_up(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

int64_t bytes_of(const Argument& argument) {
  return argument.elements * size_of(argument.dtype);
}

int64_t slab_of(const Argument& argument) {
  return std::max(kSmallestSlab, round_up(bytes_of(argument) / kSlabs, kSmallestSlab));
}

}  // namespace

void Memory::reserve_range(const std::vector<Argument>& arguments) {
  int64_t total = 0;
  for (const int64_t guard : kGuards) {
    guard_ = guard;
    total = guard;
    for (const auto& argument : arguments)
      total += argument.buffer ? round_up(bytes_of(argument), slab_of(argument)) + guard : 0;
    void* arena =
        mmap(nullptr, static_cast<size_t>(total), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) continue;
    begin_ = static_cast<unsigned char*>(arena);
    end_ = begin_ + total;
    return;
  }
  fail("user", fmt::format("the case's buffers need {} bytes of address space, which the system refuses", total));
}

void Memory::reserve(const std::vector<Argument>& arguments) {
  reserve_range(arguments);
  unsigned char* at = begin_ + guard_;
  for (const auto& argument : arguments) {
    Buffer buffer{.argument = argument};
    if (argument.buffer) {
      buffer.base = at;
      buffer.bytes = bytes_of(argument);
      buffer.slab = slab_of(argument);
      const int64_t room = round_up(buffer.bytes, buffer.slab);
      buffer.filled.resize(static_cast<size_t>(room / kPage));
      buffer.open.resize(static_cast<size_t>(room / buffer.slab));
      at += room + guard_;
    }
    if (argument.buffer && argument.init.kind == Init::Kind::kNpy) {
      auto data = read_npy_data(argument.init.file);
      if (!data) fail("user", describe(data.error()));
      buffer.npy_data = std::move(*data);
    }
    buffers_.push_back(std::move(buffer));
  }
}

int Memory::find(const unsigned char* address, int64_t size) const {
  const auto holds = [&](const Buffer& buffer) {
    return buffer.base != nullptr && address >= buffer.base && address + size <= buffer.base + buffer.bytes;
  };
  if (last_ < buffers_.size() && holds(buffers_[last_])) return static_cast<int>(last_);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!holds(buffers_[i])) continue;
    last_ = i;
    return static_cast<int>(i);
  }
  return -1;
}

int Memory::nearest(const unsigned char* address) const {
  int best = -1;
  int64_t distance = INT64_MAX;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (buffer.base == nullptr) continue;
    const int64_t away =
        address < buffer.base ? buffer.base - address : std::max<int64_t>(0, address - (buffer.base + buffer.bytes));
    if (away < distance) {
      distance = away;
      best = static_cast<int>(i);
    }
  }
  return best;
}

void Memory::open_slab(Buffer& buffer, int64_t slab) {
  uint8_t& open = buffer.open[static_cast<size_t>(slab)];
  if (open != 0) return;
  open = 1;
  unsigned char* begin = buffer.base + slab * buffer.slab;
  if (mprotect(begin, static_cast<size_t>(buffer.slab), PROT_READ | PROT_WRITE) != 0)
    fail("user", fmt::format("no memory for '{}', of which the kernel touches too much", buffer.argument.name));
  // A huge page for every row of a matrix would fill the memory.
  madvise(begin, static_cast<size_t>(buffer.slab), MADV_NOHUGEPAGE);
}

void Memory::fill_pages(int index, size_t first, size_t last) {
  Buffer& buffer = buffers_[static_cast<size_t>(index)];
  const int64_t element = size_of(buffer.argument.dtype);
  for (size_t page = first; page <= last; ++page) {
    if (buffer.filled[page] != 0) continue;
    buffer.filled[page] = 1;
    const int64_t offset = static_cast<int64_t>(page) * kPage;
    open_slab(buffer, offset / buffer.slab);
    const int64_t bytes = std::min(kPage, buffer.bytes - offset);
    if (bytes <= 0) continue;
    if (buffer.argument.poisoned) {
      std::memset(buffer.base + offset, 0xFB, static_cast<size_t>(bytes));
    } else if (buffer.argument.init.kind == Init::Kind::kNpy) {
      std::memcpy(buffer.base + offset, buffer.npy_data.data() + offset, static_cast<size_t>(bytes));
    } else {
      fill_buffer(buffer.argument, offset / element, bytes / element, buffer.base + offset);
    }
  }
}

bool Memory::fill_slab(const unsigned char* address) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (buffer.base == nullptr || address < buffer.base || address >= buffer.base + round_up(buffer.bytes, buffer.slab))
      continue;
    const int64_t slab = (address - buffer.base) / buffer.slab * buffer.slab;
    fill_pages(static_cast<int>(i), static_cast<size_t>(slab / kPage),
               static_cast<size_t>((slab + buffer.slab) / kPage) - 1);
    return true;
  }
  return false;
}

std::string Memory::content(int index) {
  const Buffer& buffer = buffers_[static_cast<size_t>(index)];
  if (buffer.bytes > 0) make_present(index, 0, buffer.bytes);
  return {reinterpret_cast<const char*>(buffer.base), static_cast<size_t>(buffer.bytes)};
}

}  // namespace swizzleperf::host

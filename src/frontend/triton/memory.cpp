#include "frontend/triton/memory.h"

#include <algorithm>
#include <cstring>

#include "workload/fill.h"
#include "workload/npy.h"

namespace swizzleperf::triton {
namespace {

constexpr int64_t kChunkElements = 4096;

}  // namespace

Memory::Memory(const CaseInstance& instance) {
  for (const Argument& argument : instance.arguments) {
    if (!argument.buffer) continue;
    Buffer& buffer = buffers_.emplace_back();
    buffer.argument = &argument;
    buffer.bytes = argument.elements * size_of(argument.dtype);
  }
}

Location Memory::locate(int64_t address) const {
  // The nearest buffer: an address a little before one belongs to it, too.
  const int64_t half = int64_t{1} << (kBufferShift - 1);
  const int64_t number = ((address + half) >> kBufferShift) - 1;
  if (number < 0 || number >= static_cast<int64_t>(buffers_.size())) return {};
  return {static_cast<int>(number), address - this->address(static_cast<int>(number))};
}

Expected<const std::string*> Memory::chunk(Buffer& buffer, int64_t number) const {
  const auto found = buffer.chunks.find(number);
  if (found != buffer.chunks.end()) return &found->second;
  const Argument& argument = *buffer.argument;
  const int64_t element = size_of(argument.dtype);
  const int64_t first = number * kChunkElements;
  const int64_t count = std::min(kChunkElements, argument.elements - first);
  std::string bytes(static_cast<size_t>(count * element), '\xFB');
  if (argument.init.kind == Init::Kind::kNpy) {
    if (!buffer.loaded) {
      auto data = read_npy_data(argument.init.file);
      if (!data) return tl::unexpected(data.error());
      buffer.file = std::move(*data);
      buffer.loaded = true;
    }
    bytes = buffer.file.substr(static_cast<size_t>(first * element), bytes.size());
  } else if (!argument.poisoned) {
    fill_buffer(argument, first, count, bytes.data());
  }
  return &buffer.chunks.emplace(number, std::move(bytes)).first->second;
}

Expected<uint64_t> Memory::read(int buffer, int64_t offset, int64_t bytes) const {
  const std::lock_guard lock(mutex_);
  Buffer& from = buffers_[static_cast<size_t>(buffer)];
  const int64_t chunk_bytes = kChunkElements * size_of(from.argument->dtype);
  uint64_t value = 0;
  for (int64_t i = 0; i < bytes;) {
    const auto part = chunk(from, (offset + i) / chunk_bytes);
    if (!part) return tl::unexpected(part.error());
    const int64_t at = (offset + i) % chunk_bytes;
    const int64_t count = std::min(bytes - i, static_cast<int64_t>((*part)->size()) - at);
    if (count <= 0) return user_error("the contents of '" + from.argument->name + "' end early");
    std::memcpy(reinterpret_cast<char*>(&value) + i, (*part)->data() + at, static_cast<size_t>(count));
    i += count;
  }
  return value;
}

}  // namespace swizzleperf::triton

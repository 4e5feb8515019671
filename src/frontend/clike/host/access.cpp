#include "frontend/clike/host/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "frontend/clike/host/failure.h"
#include "frontend/clike/host/host.h"

namespace swizzleperf::host {
namespace {

// GPUs have 64 KiB of constant memory: up to there a table in the source is read through a cache of its own.
constexpr int64_t kConstantBytes = 64 << 10;
// What is written to a variable of the source is traffic, unless it is a counter or two.
constexpr int64_t kCounterBytes = 128;
// A counter or flag of this size may well start at zero; a table that does is filled by host code, which is not run.
constexpr int64_t kScalarBytes = 8;
// So many reads of the same few addresses, and no write between them, are a loop that waits.
constexpr int kPolls = 20'000;

// Does a thread only look at the same few addresses, N at most?
template <size_t N>
class SpinWatch {
 public:
  void look(const unsigned char* address, bool write, uintptr_t site) {
    if (const int thread = host.workgroup->thread(); thread != thread_) {
      thread_ = thread;
      polls_ = 0;
      fresh_ = 0;
    }
    const bool known = std::find(seen_.begin(), seen_.end(), address) != seen_.end();
    if (known && !write) {
      if (++polls_ < kPolls) return;
      polls_ = 0;
      fresh_ = 0;
      host.workgroup->yield(address, site);
      return;
    }
    polls_ = 0;
    seen_[next_++ % seen_.size()] = address;
    // After a switch the addresses of a loop that waits are new once more: only others are progress.
    if (write || ++fresh_ == seen_.size() + 1) host.workgroup->progress();
  }

 private:
  std::array<const unsigned char*, N> seen_ = {};
  size_t next_ = 0;
  size_t fresh_ = 0;
  int thread_ = -1;
  int polls_ = 0;
};
SpinWatch<4> global_spin;
SpinWatch<1> shared_spin;  // one, because nearly all accesses of a tiled kernel pass here

const char* verb(bool write) {
  return write ? "write" : "read";
}

[[noreturn]] void out_of_bounds(const unsigned char* address, int64_t size, bool write, uintptr_t site) {
  const auto value = reinterpret_cast<uintptr_t>(address);
  if (value < 4096) fail("user", fmt::format("null pointer {} of {} bytes{}", verb(write), size, who()), site);
  if (host.workgroup->on_any_stack(address))
    fail("user", fmt::format("a {} of {} bytes in the local memory of another thread{}", verb(write), size, who()),
         site);
  if (host.library.contains(address))
    fail("user",
         fmt::format("out of bounds: a {} of {} bytes beside the program's variables{}", verb(write), size, who()),
         site);
  const int nearest = host.memory.nearest(address);
  if (nearest < 0)
    fail("user", fmt::format("out of bounds: a {} of {} bytes at address {:#x}{}", verb(write), size, value, who()),
         site);
  const Buffer& buffer = host.memory.buffers()[static_cast<size_t>(nearest)];
  fail("user",
       fmt::format("out of bounds: a {} of {} bytes at byte {} of '{}', which has {} bytes{}", verb(write), size,
                   address - buffer.base, buffer.argument.name, buffer.bytes, who()),
       site);
}

bool is_launch_index(const unsigned char* address, int64_t size) {
  const auto inside = [&](const auto& object) {
    const auto* begin = reinterpret_cast<const unsigned char*>(&object);
    return address >= begin && address + size <= begin + sizeof object;
  };
  return inside(sp_thread_idx) || inside(sp_block_idx) || inside(sp_block_dim) || inside(sp_grid_dim) ||
         inside(sp_wave_lanes);
}

// Where a location is, as the order watch and the recorder count.
struct Location {
  int range = -1;  // the buffer's index; their number for the library's variables; -1: private to the workgroup
  int64_t offset = 0;
};

// A variable that stands in the source: its order is watched, its traffic is not part of the footprint.
Location locate_variable(const unsigned char* address, int64_t size, bool write, uintptr_t site) {
  Object* object = host.library.global(address);
  if (object == nullptr && write) out_of_bounds(address, size, write, site);
  if (object == nullptr) return {};
  if (address + size > object->begin + object->bytes)
    fail("user",
         fmt::format("out of bounds: a {} of {} bytes at byte {} of '{}', which has {} bytes{}", verb(write), size,
                     address - object->begin, object->name, object->bytes, who()),
         site);
  if (host.recording && (object->bytes > kConstantBytes || (write && object->bytes > kCounterBytes)))
    fail("unsupported",
         fmt::format(
             "the kernel {}s the variable '{}' of {} bytes, whose traffic is not counted: pass it as an argument",
             verb(write), object->name, object->bytes),
         site);
  object->written = object->written || write;
  if (object->zeros && !object->written && object->bytes > kScalarBytes)
    fail("unsupported",
         fmt::format(
             "the kernel reads the variable '{}', to which the source gives no value: what host code copies to it "
             "is not known here. Give it an initial value, or pass it as an argument",
             object->name),
         site);
  return {static_cast<int>(host.memory.buffers().size()),
          static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) - host.library.begin())};
}

// Checks the access. Shared memory first: most accesses of a tiled kernel go there.
Location locate(const unsigned char* address, int64_t size, bool write, uintptr_t site) {
  if (host.library.in_shared(address)) {
    host.library.check_shared(address, size, site);
    shared_spin.look(address, write, site);
    return {};
  }
  if (host.memory.contains(address)) {
    const int buffer = host.memory.find(address, size);
    if (buffer < 0) out_of_bounds(address, size, write, site);
    const int64_t offset = address - host.memory.buffers()[static_cast<size_t>(buffer)].base;
    host.memory.make_present(buffer, offset, size);
    return {buffer, offset};
  }
  if (host.workgroup->on_own_stack(address, size)) return {};
  if (host.library.contains(address)) return locate_variable(address, size, write, site);
  if (is_launch_index(address, size)) return {};
  out_of_bounds(address, size, write, site);
}

// A write over what another workgroup has written: is the value the same? It shows after the write.
struct Overwrite {
  bool open = false;
  Location at;
  const unsigned char* address = nullptr;
  std::string before;
  int32_t writer = 0;
  uintptr_t site = 0;
};
Overwrite last_overwrite;

void watch(const Location& at, const unsigned char* address, int64_t size, Touch kind, uintptr_t site) {
  const int32_t writer = host.watch->touch(at.range, at.offset, size, kind, host.wg, site);
  if (writer == 0 || host.watch->conflict().found) return;
  last_overwrite = {true,   at,  address, {reinterpret_cast<const char*>(address), static_cast<size_t>(size)},
                    writer, site};
}

void record(const Location& at, int64_t size, AccessKind kind, uintptr_t site) {
  if (!host.recording || at.range >= static_cast<int>(host.memory.buffers().size())) return;
  host.recorder.access(host.workgroup->thread(), host.workgroup->epoch(), site, at.range, at.offset,
                       static_cast<int>(size), kind);
}

}  // namespace

void on_access(const void* pointer, int64_t size, bool write, uintptr_t site) {
  if (host.workgroup == nullptr || size == 0) return;
  settle();
  check_time();
  host.last_site = site;
  const auto* address = static_cast<const unsigned char*>(pointer);
  const Location at = locate(address, size, write, site);
  if (at.range < 0) return;
  record(at, size, write ? AccessKind::kStore : AccessKind::kLoad, site);
  if (host.watch) watch(at, address, size, write ? Touch::kWrite : Touch::kRead, site);
  global_spin.look(address, write, site);
}

void on_atomic(const void* pointer, int64_t size, Touch kind, bool reads, bool floating, uintptr_t site) {
  if (host.workgroup == nullptr) return;
  settle();
  check_time();
  host.last_site = site;
  const auto* address = static_cast<const unsigned char*>(pointer);
  // For the spin watch an atomic is a look: `while (atomicAdd(p, 0) < n)` waits.
  if (host.library.in_shared(address)) {
    host.library.check_shared(address, size, site);
    shared_spin.look(address, false, site);
    return;
  }
  const Location at = locate(address, size, true, site);
  if (at.range < 0) return;
  record(at, size, AccessKind::kAtomic, site);
  if (host.watch) {
    if (reads) host.watch->touch(at.range, at.offset, size, Touch::kRead, host.wg, site);
    watch(at, address, size, kind, site);
    if (floating && kind == Touch::kAdd) host.watch->note_rounding();
  }
  global_spin.look(address, false, site);
}

void settle() {
  if (!last_overwrite.open) return;
  last_overwrite.open = false;
  const auto& [open, at, address, before, writer, site] = last_overwrite;
  if (std::memcmp(address, before.data(), before.size()) != 0)
    host.watch->overwritten(at.range, at.offset, writer, host.wg, site);
}

void on_result_used(const void* pointer, int64_t size, uintptr_t site) {
  const auto* address = static_cast<const unsigned char*>(pointer);
  if (host.workgroup == nullptr || host.library.in_shared(address)) return;
  host.result_used = true;
  if (!host.watch) return;
  settle();
  const Location at = locate(address, size, false, site);
  if (at.range >= 0) host.watch->touch(at.range, at.offset, size, Touch::kRead, host.wg, site);
}

std::string describe_address(const void* pointer) {
  const auto* address = static_cast<const unsigned char*>(pointer);
  if (const int buffer = host.memory.find(address, 1); buffer >= 0) {
    const Buffer& found = host.memory.buffers()[static_cast<size_t>(buffer)];
    return fmt::format("byte {} of '{}'", address - found.base, found.argument.name);
  }
  if (const Object* object = host.library.global(address))
    return fmt::format("byte {} of '{}'", address - object->begin, object->name);
  return host.library.in_shared(address) ? "a location in shared memory" : "a location";
}

void fail_spinning(const void* address, uintptr_t site) {
  const bool shared = host.library.in_shared(static_cast<const unsigned char*>(address));
  if (shared)
    fail("user",
         fmt::format("endless loop: a thread waits for {} that no thread of its workgroup still writes{}",
                     describe_address(address), who()),
         site);
  fail("unsupported",
       fmt::format("order-dependent: a thread waits for {} to be written, and no thread of its workgroup does{}",
                   describe_address(address), who()),
       site);
}

}  // namespace swizzleperf::host

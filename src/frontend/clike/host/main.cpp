// swizzleperf-trace-host: loads a kernel compiled for the CPU, runs workgroups, and writes down what they touch. A
// process of its own, so that a crash, a hang or a runaway allocation of a kernel is a message and nothing more.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "frontend/clike/host/memory.h"
#include "frontend/clike/host/order.h"
#include "frontend/clike/host/protocol.h"
#include "frontend/clike/host/recorder.h"
#include "frontend/clike/host/workgroup.h"

struct HostIndex {
  unsigned x, y, z;
};

extern "C" {
// What the shim declares: the launch's indices, written here and only read by the kernel.
HostIndex sp_thread_idx = {0, 0, 0};
HostIndex sp_block_idx = {0, 0, 0};
HostIndex sp_block_dim = {1, 1, 1};
HostIndex sp_grid_dim = {1, 1, 1};
int sp_wave_lanes = 64;
}

namespace swizzleperf::host {
namespace {

struct Host {
  Memory memory;
  std::unique_ptr<Workgroup> workgroup;
  Recorder recorder;
  std::optional<OrderWatch> watch;
  bool recording = false;
  int32_t wg = 0;
  uintptr_t library_begin = 0, library_end = 0;
  const unsigned char* shared_begin = nullptr;
  const unsigned char* shared_end = nullptr;
  // Dynamic shared memory: only its first bytes, as the launch asks for, may be touched.
  const unsigned char* dynamic_begin = nullptr;
  const unsigned char* dynamic_end = nullptr;
  int64_t dynamic_bytes = 0;
};
Host host;
constexpr int64_t kDynamicReserve = 256 << 10;

// Where the kernel may touch memory that is no buffer: its stack, shared memory, its own globals, the launch's indices.
bool is_private(const unsigned char* address, int size, uintptr_t site) {
  if (host.workgroup->on_stack(address)) return true;
  if (address >= host.shared_begin && address < host.shared_end) {
    if (address >= host.dynamic_begin && address + size > host.dynamic_begin + host.dynamic_bytes &&
        address < host.dynamic_end) {
      fail("user",
           fmt::format("out of bounds: byte {} of {} bytes of dynamic shared memory", address - host.dynamic_begin,
                       host.dynamic_bytes),
           site);
    }
    return true;
  }
  const auto value = reinterpret_cast<uintptr_t>(address);
  return (value >= host.library_begin && value < host.library_end) || !host.memory.contains(address);
}

[[noreturn]] void out_of_bounds(const unsigned char* address, int size, bool write, uintptr_t site) {
  const int nearest = host.memory.nearest(address);
  const Buffer& buffer = host.memory.buffers()[static_cast<size_t>(nearest)];
  fail("user",
       fmt::format("out of bounds: a {} of {} bytes at byte {} of '{}', which has {} bytes (workgroup {}, thread {})",
                   write ? "write" : "read", size, address - buffer.base, buffer.argument.name, buffer.bytes, host.wg,
                   host.workgroup->thread()),
       site);
}

void on_access(const void* pointer, int size, AccessKind kind, uintptr_t site) {
  const auto* address = static_cast<const unsigned char*>(pointer);
  if (host.workgroup == nullptr) return;
  // Shared memory first: most accesses of a tiled kernel go there.
  if (host.dynamic_begin == nullptr && address >= host.shared_begin && address < host.shared_end) return;
  if (!host.memory.contains(address)) {
    if (is_private(address, size, site)) {
      // Far from everything known: the access itself would end the process, with less to say.
      if (reinterpret_cast<uintptr_t>(address) < 4096) {
        fail("user",
             fmt::format("null pointer {} of {} bytes (workgroup {}, thread {})",
                         kind == AccessKind::kLoad ? "read" : "write", size, host.wg, host.workgroup->thread()),
             site);
      }
      return;
    }
  }
  const int buffer = host.memory.find(address, size);
  if (buffer < 0) out_of_bounds(address, size, kind != AccessKind::kLoad, site);
  const int64_t offset = address - host.memory.buffers()[static_cast<size_t>(buffer)].base;
  if (host.recording)
    host.recorder.access(host.workgroup->thread(), host.workgroup->epoch(), site, buffer, offset, size, kind);
  if (host.watch) {
    const Touch touch = kind == AccessKind::kLoad     ? Touch::kRead
                        : kind == AccessKind::kAtomic ? Touch::kAtomic
                                                      : Touch::kWrite;
    host.watch->touch(buffer, offset, size, touch, host.wg, site);
  }
}

void on_signal(int signal, siginfo_t* info, void* /*context*/) {
  auto* address = static_cast<unsigned char*>(info->si_addr);
  if (signal == SIGSEGV && host.memory.contains(address) && host.memory.fill_chunk(address)) return;
  // Only the signal's name is certain here; the parent adds what it knows.
  const char* name = signal == SIGSEGV  ? "a memory access that is not allowed"
                     : signal == SIGFPE ? "an integer division by zero"
                     : signal == SIGBUS ? "a bus error"
                                        : "an illegal instruction";
  fail("user", fmt::format("the kernel crashed by {} (workgroup {}, thread {})", name, host.wg,
                           host.workgroup ? host.workgroup->thread() : 0));
}

void install_signal_handlers() {
  static std::array<unsigned char, 1 << 16> stack;
  stack_t alternate = {};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGFPE, SIGBUS, SIGILL}) sigaction(signal, &action, nullptr);
}

// Address ranges of the kernel's library: its image and its thread-local block (the shared memory).
int find_ranges(dl_phdr_info* info, size_t /*size*/, void* library_name) {
  if (std::strcmp(info->dlpi_name, static_cast<const char*>(library_name)) != 0) return 0;
  host.library_begin = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD)
      host.library_end = std::max<uintptr_t>(host.library_end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
    if (header.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
      host.shared_begin = static_cast<const unsigned char*>(info->dlpi_tls_data);
      host.shared_end = host.shared_begin + header.p_memsz;
    }
  }
  return 1;
}

struct Parameter {
  int size;
  int pointer;
};

// Storage of the arguments as the kernel takes them; checks them against the kernel's own parameters.
std::vector<std::array<unsigned char, 16>> make_arguments(void* library) {
  const auto& buffers = host.memory.buffers();
  const int count = reinterpret_cast<int (*)()>(dlsym(library, "sp_parameter_count"))();
  const Parameter* parameters = reinterpret_cast<const Parameter* (*)()>(dlsym(library, "sp_parameters"))();
  if (count != static_cast<int>(buffers.size()))
    fail("user",
         fmt::format("argument mismatch: the kernel takes {} arguments, the case lists {}", count, buffers.size()));
  std::vector<std::array<unsigned char, 16>> storage(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Argument& argument = buffers[i].argument;
    if ((parameters[i].pointer != 0) != argument.buffer) {
      fail("user", fmt::format("argument mismatch: parameter {} of the kernel is a {}, the case's '{}' is a {}", i + 1,
                               parameters[i].pointer != 0 ? "pointer" : "value", argument.name,
                               argument.buffer ? "buffer" : "scalar"));
    }
    if (argument.buffer) {
      std::memcpy(storage[i].data(), &buffers[i].base, sizeof(void*));
      continue;
    }
    if (parameters[i].size != size_of(argument.dtype)) {
      fail("user",
           fmt::format("argument mismatch: parameter {} of the kernel has {} bytes, the case's '{}' is {} ({} bytes)",
                       i + 1, parameters[i].size, argument.name, to_string(argument.dtype), size_of(argument.dtype)));
    }
    const auto float_value = static_cast<float>(argument.real);
    const auto half_value = static_cast<_Float16>(argument.real);
    switch (argument.dtype) {
      case DType::kF32:
        std::memcpy(storage[i].data(), &float_value, sizeof float_value);
        break;
      case DType::kF64:
        std::memcpy(storage[i].data(), &argument.real, sizeof argument.real);
        break;
      case DType::kF16:
        std::memcpy(storage[i].data(), &half_value, sizeof half_value);
        break;
      case DType::kBf16:
        std::memcpy(storage[i].data(), reinterpret_cast<const unsigned char*>(&float_value) + 2, 2);
        break;
      default:
        std::memcpy(storage[i].data(), &argument.integer, static_cast<size_t>(size_of(argument.dtype)));
        break;  // little endian
    }
  }
  return storage;
}

class Answer {
 public:
  void put(int64_t value) { words_.push_back(value); }
  void put_bytes(const std::string& bytes) {
    put(static_cast<int64_t>(bytes.size()));
    const size_t at = words_.size();
    words_.resize(at + (bytes.size() + 7) / 8);
    std::memcpy(words_.data() + at, bytes.data(), bytes.size());
  }
  void write(const std::string& file) const {
    std::FILE* stream = std::fopen(file.c_str(), "wb");
    if (stream == nullptr || std::fwrite(words_.data(), sizeof(int64_t), words_.size(), stream) != words_.size() ||
        std::fclose(stream) != 0) {
      fail("internal", "cannot write the answer");
    }
  }

 private:
  std::vector<int64_t> words_;
};

void put_tile(Answer& answer, int64_t tile, bool complete) {
  const auto phases = host.recorder.finish();
  answer.put(tile);
  answer.put(complete ? 1 : 0);
  answer.put(host.recorder.instructions());
  answer.put(static_cast<int64_t>(phases.size()));
  for (const auto& phase : phases) {
    answer.put(static_cast<int64_t>(phase.size()));
    for (const auto& group : phase) {
      answer.put(group.array);
      answer.put(static_cast<int64_t>(group.kind));
      answer.put(group.origin);
      answer.put(static_cast<int64_t>(group.segments.size()));
      for (const Segment& segment : group.segments) {
        answer.put(segment.offset);
        answer.put(static_cast<int64_t>(segment.bytes) | static_cast<int64_t>(segment.repeat) << 32);
      }
    }
  }
}

void set_block_index(const Grid& grid, int64_t wg) {
  const Coordinate at = coordinate(grid, wg);
  sp_block_idx = {static_cast<unsigned>(at.x), static_cast<unsigned>(at.y), static_cast<unsigned>(at.z)};
  host.wg = static_cast<int32_t>(wg);
}

void trace(const nlohmann::json& request, const Grid& grid, int threads, Answer& answer) {
  const int64_t prefix = request.at("prefix");
  host.recording = true;
  for (const int64_t tile : request.at("tiles").get<std::vector<int64_t>>()) {
    set_block_index(grid, tile);
    host.recorder.begin(threads, sp_wave_lanes);
    const bool complete = host.workgroup->run([&] { return prefix > 0 && host.recorder.segments() >= prefix; });
    put_tile(answer, tile, complete);
  }
}

void run_all(const Grid& grid, Answer& answer) {
  std::vector<int64_t> bytes;
  for (const auto& buffer : host.memory.buffers()) bytes.push_back(buffer.bytes);
  host.watch.emplace(bytes);
  for (int64_t wg = 0; wg < grid.size(); ++wg) {
    set_block_index(grid, wg);
    host.workgroup->run([] { return false; });
  }
  const auto& conflict = host.watch->conflict();
  answer.put(conflict.found ? 1 : 0);
  answer.put(conflict.buffer);
  answer.put(conflict.offset);
  answer.put(conflict.first_wg);
  answer.put(conflict.second_wg);
  answer.put(static_cast<int64_t>(conflict.site == 0 ? 0 : conflict.site - host.library_begin));
  answer.put(host.watch->atomics() ? 1 : 0);
  for (size_t i = 0; i < host.memory.buffers().size(); ++i) {
    if (!host.memory.buffers()[i].argument.output) continue;
    const auto& writes = host.watch->writes(static_cast<int>(i));
    uint64_t hash = 14695981039346656037ULL;
    int64_t unwritten = 0;
    for (const uint8_t count : writes) {
      hash = (hash ^ count) * 1099511628211ULL;
      unwritten += count == 0;
    }
    answer.put(static_cast<int64_t>(hash));
    answer.put(unwritten);
    answer.put_bytes(host.memory.content(static_cast<int>(i)));
  }
}

int serve() {
  const std::string input{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  const auto request = nlohmann::json::parse(input);
  const auto axes = [&](const char* key) {
    const auto list = request.at(key).get<std::vector<int64_t>>();
    return Grid{list.at(0), list.at(1), list.at(2)};
  };
  const Grid grid = axes("grid");
  const Grid block = axes("block");
  const std::string library_name = request.at("library");
  install_signal_handlers();
  std::vector<Argument> arguments;
  for (const auto& one : request.at("arguments")) arguments.push_back(argument_from_json(one));
  host.memory.reserve(arguments);
  void* library = dlopen(library_name.c_str(), RTLD_NOW);
  if (library == nullptr)
    fail("unsupported", fmt::format("the kernel uses something that the CPU shim lacks: {}", dlerror()));
  for (const std::string name : request.at("dynamic_shared")) {
    host.dynamic_begin = static_cast<const unsigned char*>(dlsym(library, name.c_str()));
    host.dynamic_end = host.dynamic_begin + kDynamicReserve;
  }
  using Touch = void (*)();
  if (const auto touch = reinterpret_cast<Touch>(dlsym(library, "sp_touch_shared"))) touch();
  dl_iterate_phdr(find_ranges, const_cast<char*>(library_name.c_str()));
  host.dynamic_bytes = request.at("shared_bytes");
  sp_block_dim = {static_cast<unsigned>(block.x), static_cast<unsigned>(block.y), static_cast<unsigned>(block.z)};
  sp_grid_dim = {static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)};
  sp_wave_lanes = request.at("wave_lanes");
  auto storage = make_arguments(library);
  std::vector<void*> pointers;
  for (auto& one : storage) pointers.push_back(one.data());
  using Launch = void (*)(void* const*);
  const auto launch = reinterpret_cast<Launch>(dlsym(library, "sp_launch"));
  host.workgroup = std::make_unique<Workgroup>(block, sp_wave_lanes, [&] { launch(pointers.data()); });
  Answer answer;
  if (request.at("mode") == "trace") {
    trace(request, grid, static_cast<int>(block.size()), answer);
  } else {
    run_all(grid, answer);
  }
  answer.write(request.at("answer"));
  return 0;
}

}  // namespace

void set_thread_index(const Grid& block, int thread) {
  const Coordinate at = coordinate(block, thread);
  sp_thread_idx = {static_cast<unsigned>(at.x), static_cast<unsigned>(at.y), static_cast<unsigned>(at.z)};
}

void fail(const char* blame, const std::string& message, uintptr_t site, uintptr_t other_site) {
  const auto offset = [](uintptr_t address) {
    return address == 0 || address < host.library_begin ? 0 : address - host.library_begin;
  };
  const nlohmann::json json = {
      {"blame", blame}, {"message", message}, {"site", offset(site)}, {"other_site", offset(other_site)}};
  std::fputs(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str(), stderr);
  std::fflush(stderr);
  _exit(kFailed);
}

}  // namespace swizzleperf::host

// ---- what the instrumented kernel calls
// ---------------------------------------------------------------------------------
namespace sp = swizzleperf::host;
using swizzleperf::AccessKind;

#define SP_SITE reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define SP_ACCESS(name, size, kind)                    \
  void __tsan_##name(void* p) {                        \
    sp::on_access(p, size, AccessKind::kind, SP_SITE); \
  }
#define SP_ACCESSES(n)                   \
  SP_ACCESS(read##n, n, kLoad)           \
  SP_ACCESS(write##n, n, kStore)         \
  SP_ACCESS(unaligned_read##n, n, kLoad) \
  SP_ACCESS(unaligned_write##n, n, kStore)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** /*slot*/, void* /*value*/) {}
void __tsan_vptr_read(void** /*slot*/) {}
SP_ACCESSES(1)
SP_ACCESSES(2)
SP_ACCESSES(4)
SP_ACCESSES(8)
SP_ACCESSES(16)
void __tsan_read_range(void* p, unsigned long size) {
  sp::on_access(p, static_cast<int>(size), AccessKind::kLoad, SP_SITE);
}
void __tsan_write_range(void* p, unsigned long size) {
  sp::on_access(p, static_cast<int>(size), AccessKind::kStore, SP_SITE);
}
void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
  sp::on_access(from, static_cast<int>(size), AccessKind::kLoad, SP_SITE);
  sp::on_access(to, static_cast<int>(size), AccessKind::kStore, SP_SITE);
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, unsigned long size) {
  sp::on_access(from, static_cast<int>(size), AccessKind::kLoad, SP_SITE);
  sp::on_access(to, static_cast<int>(size), AccessKind::kStore, SP_SITE);
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, unsigned long size) {
  sp::on_access(to, static_cast<int>(size), AccessKind::kStore, SP_SITE);
  return std::memset(to, value, size);
}
void sp_barrier() {
  sp::host.workgroup->barrier(SP_SITE);
}
unsigned long long sp_wave_op(int kind, unsigned long long value, int argument, int width, unsigned long long mask) {
  return sp::host.workgroup->wave_operation({kind, value, argument, width, mask, 0}, SP_SITE);
}
void sp_atomic(const void* address, int size) {
  sp::on_access(address, size, AccessKind::kAtomic, SP_SITE);
}
void sp_unsupported(const char* what) {
  sp::fail("unsupported", what, SP_SITE);
}
}

int main() {
  try {
    return sp::serve();
  } catch (const std::exception& error) {
    sp::fail("internal", error.what());
  }
}

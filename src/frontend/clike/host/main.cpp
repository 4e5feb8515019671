// swizzleperf-trace-host: loads a kernel compiled for the CPU, runs workgroups, and writes down what they touch. A
// process of its own, so that a crash, a hang or a runaway allocation of a kernel is a message and nothing more.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>

#include "frontend/clike/host/access.h"
#include "frontend/clike/host/arguments.h"
#include "frontend/clike/host/failure.h"
#include "frontend/clike/host/host.h"
#include "frontend/clike/host/protocol.h"

extern "C" {
swizzleperf::host::HostIndex sp_thread_idx = {0, 0, 0};
swizzleperf::host::HostIndex sp_block_idx = {0, 0, 0};
swizzleperf::host::HostIndex sp_block_dim = {1, 1, 1};
swizzleperf::host::HostIndex sp_grid_dim = {1, 1, 1};
int sp_wave_lanes = 64;
}

namespace swizzleperf::host {

Host host;

namespace {

HostIndex index_of(const Grid& grid) {
  return {static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)};
}

HostIndex index_of(const Coordinate& at) {
  return {static_cast<unsigned>(at.x), static_cast<unsigned>(at.y), static_cast<unsigned>(at.z)};
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
  answer.put(host.result_used ? 1 : 0);
  answer.put(host.recorder.instructions());
  answer.put(static_cast<int64_t>(phases.size()));
  for (const auto& phase : phases) {
    answer.put(static_cast<int64_t>(phase.size()));
    for (const auto& group : phase) {
      answer.put(group.array);
      answer.put(static_cast<int64_t>(group.kind));
      answer.put(group.origin);
      answer.put(static_cast<int64_t>(group.sites.size()));
      for (const uintptr_t site : group.sites) answer.put(static_cast<int64_t>(site - host.library.begin()));
      answer.put(static_cast<int64_t>(group.segments.size()));
      for (const Segment& segment : group.segments) {
        answer.put(segment.offset);
        answer.put(static_cast<int64_t>(segment.bytes) | static_cast<int64_t>(segment.repeat) << 32);
      }
    }
  }
}

void begin_workgroup(const Grid& grid, int64_t wg) {
  sp_block_idx = index_of(coordinate(grid, wg));
  host.wg = static_cast<int32_t>(wg);
  host.result_used = false;
  restart_time();
}

void trace(const nlohmann::json& request, const Grid& grid, int threads, Answer& answer) {
  const int64_t prefix = request.at("prefix");
  host.recording = true;
  for (const int64_t tile : request.at("tiles").get<std::vector<int64_t>>()) {
    begin_workgroup(grid, tile);
    host.recorder.begin(threads, request.at("wave_lanes"));
    const bool complete = host.workgroup->run([&] { return prefix > 0 && host.recorder.segments() >= prefix; });
    put_tile(answer, tile, complete);
  }
}

// The first conflict: where, between whom, how, at which code.
void put_conflict(Answer& answer) {
  const auto& conflict = host.watch->conflict();
  const auto variables = static_cast<int>(host.memory.buffers().size());
  answer.put(conflict.found ? 1 : 0);
  if (!conflict.found) return;
  const unsigned char* begin = conflict.buffer == variables
                                   ? reinterpret_cast<const unsigned char*>(host.library.begin())
                                   : host.memory.buffers()[static_cast<size_t>(conflict.buffer)].base;
  answer.put_bytes(describe_address(begin + conflict.offset));
  answer.put(conflict.first_wg);
  answer.put(conflict.second_wg);
  answer.put(conflict.reads ? 1 : 0);
  answer.put(static_cast<int64_t>(conflict.site - host.library.begin()));
}

void run_all(const Grid& grid, Answer& answer) {
  std::vector<int64_t> bytes;
  for (const auto& buffer : host.memory.buffers()) bytes.push_back(buffer.bytes);
  bytes.push_back(host.library.bytes());
  host.watch.emplace(bytes);
  for (int64_t wg = 0; wg < grid.size(); ++wg) {
    begin_workgroup(grid, wg);
    host.workgroup->run([] { return false; });
    settle();
  }
  put_conflict(answer);
  answer.put(host.watch->rounding() ? 1 : 0);
  for (size_t i = 0; i < host.memory.buffers().size(); ++i) {
    if (!host.memory.buffers()[i].argument.output) continue;
    answer.put(static_cast<int64_t>(host.watch->hash_of_writes(static_cast<int>(i))));
    answer.put(host.watch->unwritten(static_cast<int>(i)));
    answer.put_bytes(host.memory.content(static_cast<int>(i)));
  }
}

void serve() {
  const std::string input{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  const auto request = nlohmann::json::parse(input);
  const auto axes = [&](const char* key) {
    const auto list = request.at(key).get<std::vector<int64_t>>();
    return Grid{list.at(0), list.at(1), list.at(2)};
  };
  const Grid grid = axes("grid");
  const Grid block = axes("block");
  install_signal_handlers(request.at("limit_ms"));
  std::vector<Argument> arguments;
  for (const auto& one : request.at("arguments")) arguments.push_back(argument_from_json(one));
  host.memory.reserve(arguments);
  host.library.load(request);
  sp_block_dim = index_of(block);
  sp_grid_dim = index_of(grid);
  sp_wave_lanes = request.at("warp_lanes");
  auto storage = make_arguments(host.library, host.memory.buffers());
  std::vector<void*> pointers;
  for (auto& one : storage) pointers.push_back(one.data());
  const auto launch = reinterpret_cast<void (*)(void* const*)>(host.library.function("sp_launch"));
  host.workgroup = std::make_unique<Workgroup>(block, sp_wave_lanes, [&] { launch(pointers.data()); });
  Answer answer;
  if (request.at("mode") == "trace") {
    trace(request, grid, static_cast<int>(block.size()), answer);
  } else {
    run_all(grid, answer);
  }
  answer.write(request.at("answer"));
}

}  // namespace

void set_thread_index(const Grid& block, int thread) {
  sp_thread_idx = index_of(coordinate(block, thread));
}

}  // namespace swizzleperf::host

int main() {
  using swizzleperf::host::fail;
  try {
    swizzleperf::host::serve();
  } catch (const std::exception& error) {
    fail("internal", error.what());
  }
  // Nothing of the kernel's, like the destructors of its variables, shall run now.
  std::fflush(stdout);
  _exit(0);
}

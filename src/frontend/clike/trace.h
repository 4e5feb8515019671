// Runs a HIP or CUDA kernel on the CPU in a limited child process and records what it touches.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontend/clike/assembly.h"
#include "frontend/clike/source.h"
#include "workload/case.h"
#include "workload/workload.h"

namespace swizzleperf {

struct TraceLimits {
  // Processor time of one workgroup, so that neither a busy machine nor a long list of workgroups fails a sound kernel.
  std::chrono::milliseconds workgroup_cpu{60'000};
  size_t memory_bytes = size_t{12} << 30;
};

// A kernel compiled for the CPU with instrumented memory accesses; owns the shared object's folder.
class TracedKernel {
 public:
  // Compiles `source_text` (the case's source, or a rewritten one) as the case says. User error with clang's first
  // diagnostics; unsupported, with the line, for what the shim lacks.
  static Expected<TracedKernel> compile(const Case& the_case, const KernelInfo& kernel, const std::string& source_text);
  const std::filesystem::path& library() const { return library_; }
  // Names of the kernel's `extern __shared__` arrays.
  const std::vector<std::string>& dynamic_shared() const { return dynamic_shared_; }
  // Lanes that its shuffles and votes mean on a GPU with waves of `wave_lanes`: CUDA's warps have 32 everywhere.
  int64_t warp_lanes(int64_t wave_lanes) const { return cuda_ ? 32 : wave_lanes; }
  // Its shared arrays and the variables of its file.
  const std::vector<LibrarySymbol>& symbols() const { return symbols_; }

 private:
  std::shared_ptr<const void> folder_;  // keeps the temporary folder alive
  std::filesystem::path library_;
  std::vector<std::string> dynamic_shared_;
  std::vector<LibrarySymbol> symbols_;
  bool cuda_ = false;
};

// One tile's footprint as traced, before fitting. Accesses of a phase: one entry a coalesced segment.
struct TracedTile {
  int64_t tile = 0;
  Workload footprint;         // a workload of one tile
  bool complete = true;       // false: stopped after the prefix that was asked for
  bool result_used = false;   // of an atomic operation: what it does may depend on what ran before it
  uint64_t instructions = 0;  // wave instructions traced
};

struct TraceRequest {
  std::vector<int64_t> tiles;   // launch ids to run, in order
  int64_t prefix_requests = 0;  // > 0: stop each tile after so many coalesced segments
  int64_t wave_lanes = 64;
};

// Runs the tiles and returns their footprints in order. User errors: crash, out-of-bounds access (array, index, line),
// endless loop (time limit of a workgroup), barrier or wave deadlock (lines), each with the source line where known.
// Unsupported: a workgroup that waits for another one, and what the shim has no meaning for.
Expected<std::vector<TracedTile>> trace_tiles(const TracedKernel& kernel, const CaseInstance& instance,
                                              const TraceRequest& request, const TraceLimits& limits = {});

// Runs the whole grid and returns what the gate compares.
struct FullRun {
  std::vector<std::string> outputs;          // bytes of every output buffer, in argument order
  std::vector<uint64_t> write_count_hashes;  // per output: hash of how often each byte was written
  std::vector<int64_t> unwritten_bytes;      // per output: bytes never written (still poisoned)
  bool order_dependent = false;              // a workgroup touches a location that another one writes
  std::string order_dependence;              // which array, which workgroups, which line
  bool atomics = false;                      // floating-point atomic sums: the order shows in the last bits
};
Expected<FullRun> run_grid(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes,
                           const TraceLimits& limits = {});

// The whole workload: an affine fit of full footprints for each class of tiles, checked on other tiles and on the first
// requests of many more, all chosen at random; where it does not hold, a trace of every tile of the class.
Expected<Workload> trace_workload(const TracedKernel& kernel, const CaseInstance& instance, int64_t wave_lanes,
                                  const TraceLimits& limits = {});

// By site of the workload: "gemm.hip:31", or the lines of all instructions that it gathers; empty where unknown. Asks
// the compiled kernel's debug information, which takes a moment.
std::vector<std::string> describe_sites(const TracedKernel& kernel, const Workload& workload);

}  // namespace swizzleperf

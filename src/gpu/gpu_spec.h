// GpuSpec: a GPU as plain data, read from gpus/*.toml or a user's own file. Every figure there carries its source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

enum class Dispatch {
  kRoundRobin,   // workgroup w goes to L2 domain w mod domains; each domain has its own queue (AMD XCDs)
  kSingleQueue,  // one queue in launch order; a free slot of any compute unit takes the next id (NVIDIA)
};

// How a line's number within its channel becomes its set.
enum class SetIndex {
  kModulo,   // the lowest bits: lines a power of two apart share few sets
  kXorFold,  // the exclusive or of all groups of as many bits
};

struct CacheSpec {
  int64_t bytes = 0;  // of one instance; 0 = not present
  int64_t line_bytes = 128;
  int64_t channels = 1;  // independent LRU lists that addresses are interleaved over
  int64_t channel_interleave_bytes = 256;
  int64_t ways = 0;                         // 0 = fully associative inside a channel or unknown
  SetIndex set_index = SetIndex::kXorFold;  // where ways are known
};

// A figure as `swizzleperf gpus NAME` shows it: TOML key, printed value, source (URL or document), derived or not.
struct Provenance {
  std::string key;
  std::string value;
  std::string source;
  bool derived = false;
};

struct GpuSpec {
  std::string name;            // "MI300X"
  std::string arch;            // "gfx942", "sm_90"
  std::string vendor;          // "amd" or "nvidia"
  int64_t domains = 1;         // L2 domains (XCDs, dies); num_xcds of the map language
  int64_t cus_per_domain = 0;  // compute units (CUs, SMs) of a domain; cus_per_xcd of the map language
  Dispatch dispatch = Dispatch::kRoundRobin;
  int64_t wave_lanes = 64;
  int64_t max_waves_per_cu = 32;
  int64_t max_workgroups_per_cu = 0;  // 0 = unknown
  int64_t lds_bytes_per_cu = 0;
  int64_t registers_per_cu = 0;      // 32-bit registers of a CU / SM; 0 = unknown
  double speed_spread = 0;           // how much slower than the fastest compute unit the slowest is: 0.02 = 2 %
  CacheSpec l1;                      // of one compute unit
  CacheSpec l2;                      // of one domain
  int64_t l2_partitions = 1;         // sides of one domain's L2; data used from both sides takes space on both (NVIDIA)
  bool l1_pair_merge = false;        // two neighbouring SMs (TPC) that request one line in the same round send it once
  int64_t load_request_bytes = 128;  // granularity of L2 read requests: AMD a line, NVIDIA a 32 B sector
  int64_t store_request_bytes = 64;  // of L2 write requests: AMD a half line, NVIDIA a 32 B sector
  int64_t cus_per_instruction_cache = 0;  // compute units that share one; 0: code takes no part in the model
  int64_t code_requests = 0;              // L2 requests of 64 B a launch of one instruction cache
  CacheSpec llc;                          // behind all domains (MALL); bytes = 0 where absent
  double clock_hz = 0;
  double l2_bytes_per_second = 0;   // read bandwidth of one domain's L2
  double llc_bytes_per_second = 0;  // of the whole LLC
  double dram_bytes_per_second = 0;
  std::map<std::string, double> peak_flops;    // by dtype: "fp16", "bf16", "fp32", "fp8"; matrix rate, dense
  std::map<std::string, double> vector_flops;  // by dtype: rate without matrix units
  std::map<std::string, int64_t> partitions;   // by mode ("cpx"): L2 domains of one device in it
  std::vector<Provenance> provenance;
};

// `name_or_file`: a name (any case) found in data_folder()/gpus, or the path of a TOML file (contains '/' or ends in
// .toml), and after a colon what part of the GPU runs the kernel: "mi300x:cpx", "mi300x:cus=32" (src/gpu/partition.h).
// User error with file, line and field for anything missing, unknown, of the wrong type or out of range.
Expected<GpuSpec> load_gpu(const std::string& name_or_file);
Expected<GpuSpec> parse_gpu(const std::string& toml_text, const std::string& file_name);
std::vector<std::string> known_gpus();

}  // namespace swizzleperf

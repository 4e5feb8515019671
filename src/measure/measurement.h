// Measurement: what a device did with the variants of a kernel. Nothing in it is predicted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace swizzleperf {

// Time of the original over that of a variant: above 1 the variant is faster. With the interval that holds the true
// value with 95 % confidence.
struct Ratio {
  double value = 1;
  double low = 1, high = 1;
  bool faster() const { return low > 1; }
  bool slower() const { return high < 1; }
};

// What a profiler counted during one launch. A figure that cannot be right is left out and named in `flags`.
struct Counters {
  std::optional<double> time_ms;
  std::optional<int64_t> dram_read_bytes;
  std::optional<int64_t> dram_write_bytes;
  std::optional<int64_t> l2_requests;     // NVIDIA: sectors of 32 B; AMD: requests, summed over the XCDs
  std::optional<int64_t> l2_hits;         //
  std::optional<int64_t> fabric_sectors;  // NVIDIA: sectors fetched from the other partition of the L2
  std::optional<int64_t> l2_miss_bytes;   // AMD: bytes that the L2s asked the fabric for, reads and writes
  std::vector<std::string> flags;
  std::optional<double> l2_hit_rate() const;  // of sums, not a mean of rates
};

struct VariantMeasurement {
  std::string name;
  bool equal = true;       // outputs bit-equal to the original's, before and after timing, for every seed
  std::string difference;  // where they were not
  int registers = 0;
  int occupancy = 0;                     // workgroups on a compute unit, as the driver computes it
  std::vector<double> cold_ms, warm_ms;  // by round
  double cold_median_ms = 0, warm_median_ms = 0;
  Ratio cold, warm;                 // against the first variant
  std::optional<double> energy_mj;  // of one launch
  std::optional<Counters> counters;
};

struct Measurement {
  std::string device;
  std::string api;     // "cuda", "hip"
  std::string driver;  // version, where it is known
  int compute_units = 0;
  int64_t l2_bytes = 0;
  int rounds = 0;
  int64_t flush_bytes = 0;
  std::vector<double> clock_mhz;             // at the end of each round
  std::vector<std::string> warnings;         // what makes the figures less certain
  std::string note;                          // JSON that the job carried
  std::vector<VariantMeasurement> variants;  // the original first
};

}  // namespace swizzleperf

// The buffers and values that a kernel is launched with, and what it left in its outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/driver.h"

namespace swizzleperf::runner {

// Pinned host memory through which contents pass, filled and compared by all processors.
class Staging {
 public:
  static constexpr int64_t kBytes = int64_t{64} << 20;
  explicit Staging(const Device& device);
  unsigned char* first() const { return first_; }
  unsigned char* second() const { return second_; }

 private:
  unsigned char* first_;
  unsigned char* second_;
};

// Where two outputs differ. NaN equals nothing.
struct Difference {
  std::string argument;   // its position, from 1
  int64_t elements = 0;   // that differ
  int64_t first = -1;     // the first of them
  std::string reference;  // its value, as bytes in hexadecimal
  std::string found;
};

class ArgumentSet {
 public:
  // Allocates all buffers.
  ArgumentSet(const Device& device, const Job& job);

  int64_t bytes() const { return bytes_; }

  // All contents as the job states them; every seed is raised by `shift`.
  void fill(Staging& staging, int shift);

  // The outputs' contents alone, before another launch on the same inputs.
  void fill_outputs(Staging& staging, int shift);

  // The same contents as another set of the same job.
  void copy_from(const ArgumentSet& other);

  // What a launch takes.
  void** pointers() { return pointers_.data(); }

  // The contents of the outputs, as JSON: a list of numbers for each.
  std::string outputs_json(Staging& staging) const;

  // The first output that differs from the one in `reference`.
  std::optional<Difference> compare(Staging& staging, const ArgumentSet& reference) const;

 private:
  void fill_one(size_t index, Staging& staging, int shift);
  std::optional<Difference> compare_one(size_t index, Staging& staging, const ArgumentSet& reference) const;

  const Device& device_;
  const Job& job_;
  int64_t bytes_ = 0;
  std::vector<DevicePointer> buffers_;  // by argument; 0 for values
  std::vector<void*> pointers_;
};

}  // namespace swizzleperf::runner

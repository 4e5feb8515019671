// The arguments of an example as the kernel gets them, as doubles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workload/case.h"

namespace swizzleperf {

// The elements of a buffer of this type as doubles; 64-bit integers must fit a double.
std::vector<double> decode(DType type, const std::string& bytes);

class Inputs {
 public:
  explicit Inputs(const CaseInstance& instance) : instance_(instance) {}

  // A buffer's contents before the launch. Throws where the case has no such buffer.
  std::vector<double> buffer(const std::string& name) const;
  // A scalar's value. Throws where the case has no such scalar.
  int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  // A size of the variant.
  int64_t size(const std::string& name) const { return instance_.sizes.at(name); }
  const CaseInstance& instance() const { return instance_; }

 private:
  const Argument& argument(const std::string& name, bool buffer) const;

  const CaseInstance& instance_;
};

// What a kernel's outputs must hold after the launch, in argument order, from the definition of what it computes. NaN:
// any value will do there.
using Reference = std::function<std::vector<std::vector<double>>(const Inputs&)>;

}  // namespace swizzleperf

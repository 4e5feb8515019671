// Compiles a kernel for the device at run time, with NVRTC or HIPRTC.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/driver.h"

namespace swizzleperf::runner {

struct CompiledKernel {
  std::string image;   // for Device::load; empty where the source does not compile
  std::string symbol;  // the kernel's name in it
  std::string log;     // what the compiler said
};

class Compiler {
 public:
  // Throws Failure("missing") without the library.
  explicit Compiler(const Device& device);

  // A source that does not compile is a result. Several threads may compile at once.
  CompiledKernel compile(const Job& job, const std::string& source) const;

  const std::string& library() const { return library_.name(); }

 private:
  struct Calls;
  Api api_;
  SharedLibrary library_;
  std::shared_ptr<const Calls> calls_;
  std::vector<std::string> options_;
};

}  // namespace swizzleperf::runner

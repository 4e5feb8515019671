// Shared libraries loaded at run time.
#pragma once

#include <string>
#include <vector>

namespace swizzleperf::runner {

class SharedLibrary {
 public:
  // Tries the names in order. Throws Failure("missing") with `advice` when none can be loaded.
  SharedLibrary(const std::vector<std::string>& names, const std::string& advice);

  const std::string& name() const { return name_; }

  // Null where the library has no such function.
  void* find(const char* function) const;

  // Throws Failure("missing") where the library has no such function.
  template <class Function>
  void load(Function*& target, const char* function) const {
    target = reinterpret_cast<Function*>(need(function));
  }

 private:
  void* need(const char* function) const;

  void* handle_ = nullptr;  // never closed: its threads and exit handlers may still run
  std::string name_;
};

// The folders a toolkit may be in: of the environment's variables that are set, then the usual ones.
std::vector<std::string> toolkit_folders(const std::vector<const char*>& variables,
                                         const std::vector<std::string>& usual);
std::vector<std::string> cuda_folders();
std::vector<std::string> rocm_folders();

}  // namespace swizzleperf::runner

#include "runner/library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "runner/failure.h"

namespace swizzleperf::runner {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names, const std::string& advice) {
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    name_ = name;
    if (handle_ != nullptr) return;
  }
  throw Failure("missing", "none of the libraries " + names.front() + ", ... can be loaded: " + advice);
}

void* SharedLibrary::find(const char* function) const {
  return ::dlsym(handle_, function);
}

void* SharedLibrary::need(const char* function) const {
  void* found = find(function);
  if (found == nullptr) throw Failure("missing", name_ + " has no function " + function + ": it is too old or too new");
  return found;
}

std::vector<std::string> toolkit_folders(const std::vector<const char*>& variables,
                                         const std::vector<std::string>& usual) {
  std::vector<std::string> folders;
  for (const char* variable : variables) {
    const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): this process never sets any
    if (value != nullptr && *value != '\0') folders.emplace_back(value);
  }
  folders.insert(folders.end(), usual.begin(), usual.end());
  return folders;
}

std::vector<std::string> cuda_folders() {
  return toolkit_folders({"CUDA_HOME", "CUDA_PATH"}, {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr"});
}

std::vector<std::string> rocm_folders() {
  return toolkit_folders({"ROCM_PATH", "HIP_PATH"}, {"/opt/rocm", "/usr"});
}

}  // namespace swizzleperf::runner

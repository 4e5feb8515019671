#include "runner/compile.h"

#include <filesystem>

#include "runner/failure.h"

namespace swizzleperf::runner {

struct Compiler::Calls {
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy)(void**);
  int (*add_name)(void*, const char*);
  int (*compile)(void*, int, const char* const*);
  int (*log_size)(void*, size_t*);
  int (*log)(void*, char*);
  int (*lowered_name)(void*, const char*, const char**);
  int (*image_size)(void*, size_t*);
  int (*image)(void*, char*);

  Calls(const SharedLibrary& library, Api api) {
    const bool cuda = api == Api::kCuda;
    const auto get = [&](auto*& target, const char* in_cuda, const char* in_hip) {
      library.load(target, cuda ? in_cuda : in_hip);
    };
    get(create, "nvrtcCreateProgram", "hiprtcCreateProgram");
    get(destroy, "nvrtcDestroyProgram", "hiprtcDestroyProgram");
    get(add_name, "nvrtcAddNameExpression", "hiprtcAddNameExpression");
    get(compile, "nvrtcCompileProgram", "hiprtcCompileProgram");
    get(log_size, "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize");
    get(log, "nvrtcGetProgramLog", "hiprtcGetProgramLog");
    get(lowered_name, "nvrtcGetLoweredName", "hiprtcGetLoweredName");
    get(image_size, "nvrtcGetCUBINSize", "hiprtcGetCodeSize");
    get(image, "nvrtcGetCUBIN", "hiprtcGetCode");
  }
};

namespace {

std::vector<std::string> compiler_names(Api api) {
  const bool cuda = api == Api::kCuda;
  std::vector<std::string> names =
      cuda ? std::vector<std::string>{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}
           : std::vector<std::string>{"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so"};
  for (const std::string& folder : cuda ? cuda_folders() : rocm_folders()) {
    for (const char* lib : {"/lib64/", "/lib/"}) names.push_back(folder + lib + names.front());
  }
  return names;
}

const char* compiler_advice(Api api) {
  return api == Api::kCuda ? "install the CUDA toolkit's NVRTC, or set CUDA_HOME"
                           : "install ROCm's HIPRTC, or set ROCM_PATH";
}

// The folder of the headers that kernels include.
std::vector<std::string> include_options(Api api) {
  const bool cuda = api == Api::kCuda;
  for (const std::string& folder : cuda ? cuda_folders() : rocm_folders()) {
    const std::string include = folder + "/include";
    std::error_code ignored;
    if (!std::filesystem::exists(include + (cuda ? "/cuda_fp16.h" : "/hip/hip_runtime.h"), ignored)) continue;
    if (!cuda) return {"-I" + include};
    return {"-I" + include, "-I" + include + "/cccl"};
  }
  return {};
}

}  // namespace

Compiler::Compiler(const Device& device)
    : api_(device.api()),
      library_(compiler_names(api_), compiler_advice(api_)),
      calls_(std::make_shared<const Calls>(library_, api_)),
      options_(include_options(api_)) {
  options_.emplace_back("-std=c++17");
  if (api_ == Api::kHip) return;  // HIPRTC compiles for the current device
  const DeviceFacts& facts = device.facts();
  // From 9.0 on some instructions exist for one architecture only, named with an `a`.
  options_.push_back("--gpu-architecture=sm_" + std::to_string(facts.major) + std::to_string(facts.minor) +
                     (facts.major >= 9 ? "a" : ""));
}

CompiledKernel Compiler::compile(const Job& job, const std::string& source) const {
  void* program = nullptr;
  if (calls_->create(&program, source.c_str(), job.file.c_str(), 0, nullptr, nullptr) != 0 ||
      calls_->add_name(program, job.kernel.c_str()) != 0)
    throw Failure("compile", library_.name() + " does not take the source");
  std::vector<const char*> options;
  for (const auto* list : {&options_, &job.options}) {
    for (const std::string& option : *list) options.push_back(option.c_str());
  }
  const int status = calls_->compile(program, static_cast<int>(options.size()), options.data());
  CompiledKernel result;
  size_t size = 0;
  if (calls_->log_size(program, &size) == 0 && size > 1) {
    result.log.resize(size);
    calls_->log(program, result.log.data());
    result.log.resize(size - 1);  // without the final zero
  }
  const char* symbol = nullptr;
  if (status == 0 && calls_->lowered_name(program, job.kernel.c_str(), &symbol) == 0 &&
      calls_->image_size(program, &size) == 0) {
    result.symbol = symbol;
    result.image.resize(size);
    if (calls_->image(program, result.image.data()) != 0) result.image.clear();
  }
  calls_->destroy(&program);
  return result;
}

}  // namespace swizzleperf::runner

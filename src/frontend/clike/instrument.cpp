#include "frontend/clike/instrument.h"

#include <array>
#include <memory>
#include <mutex>
#include <string>

// The part of LLVM's C interface that is needed, which LLVM keeps stable; its headers are not part of libclang's
// package.
extern "C" {
struct LLVMOpaqueContext;
struct LLVMOpaqueModule;
struct LLVMOpaqueMemoryBuffer;
struct LLVMOpaqueTargetMachine;
struct LLVMOpaquePassBuilderOptions;
struct LLVMOpaqueError;
struct LLVMTarget;
LLVMOpaqueContext* LLVMContextCreate();
void LLVMContextDispose(LLVMOpaqueContext* context);
int LLVMCreateMemoryBufferWithContentsOfFile(const char* path, LLVMOpaqueMemoryBuffer** buffer, char** message);
int LLVMParseIRInContext(LLVMOpaqueContext* context, LLVMOpaqueMemoryBuffer* buffer, LLVMOpaqueModule** module,
                         char** message);
void LLVMDisposeModule(LLVMOpaqueModule* module);
int LLVMWriteBitcodeToFile(LLVMOpaqueModule* module, const char* path);
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
int LLVMGetTargetFromTriple(const char* triple, LLVMTarget** target, char** message);
LLVMOpaqueTargetMachine* LLVMCreateTargetMachine(LLVMTarget* target, const char* triple, const char* cpu,
                                                 const char* features, int level, int relocation, int code_model);
void LLVMDisposeTargetMachine(LLVMOpaqueTargetMachine* machine);
LLVMOpaquePassBuilderOptions* LLVMCreatePassBuilderOptions();
void LLVMDisposePassBuilderOptions(LLVMOpaquePassBuilderOptions* options);
LLVMOpaqueError* LLVMRunPasses(LLVMOpaqueModule* module, const char* passes, LLVMOpaqueTargetMachine* machine,
                               LLVMOpaquePassBuilderOptions* options);
char* LLVMGetErrorMessage(LLVMOpaqueError* error);
void LLVMDisposeErrorMessage(char* message);
void LLVMDisposeMessage(char* message);
void LLVMParseCommandLineOptions(int count, const char* const* arguments, const char* overview);
}

namespace swizzleperf {
namespace {

// Only its rules of which accesses may be joined are used: up to 16 bytes, and never beyond the known alignment.
constexpr const char* kGpu = "nvptx64-nvidia-cuda";

void prepare() {
  static std::once_flag once;
  std::call_once(once, [] {
    // `c[i] += a[i]` reads c: the read before the write is kept.
    constexpr std::array<const char*, 3> kOptions = {"swizzleperf", "-tsan-instrument-func-entry-exit=0",
                                                     "-tsan-instrument-read-before-write=1"};
    LLVMParseCommandLineOptions(static_cast<int>(kOptions.size()), kOptions.data(), nullptr);
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
  });
}

template <class T, void (*Dispose)(T*)>
struct Disposer {
  void operator()(T* object) const { Dispose(object); }
};
template <class T, void (*Dispose)(T*)>
using Owned = std::unique_ptr<T, Disposer<T, Dispose>>;

// LLVM's message as an error of ours; takes the message.
tl::unexpected<Error> failure(const std::string& what, char* message, const std::filesystem::path& file) {
  std::string text = what;
  if (message != nullptr) text += std::string(": ") + message;
  LLVMDisposeMessage(message);
  return internal_error(std::move(text), {file.string(), 0, 0});
}

}  // namespace

Expected<void> instrument_accesses(const std::filesystem::path& bitcode, const std::filesystem::path& instrumented) {
  prepare();
  char* message = nullptr;
  LLVMOpaqueMemoryBuffer* buffer = nullptr;
  if (LLVMCreateMemoryBufferWithContentsOfFile(bitcode.c_str(), &buffer, &message) != 0)
    return failure("cannot read the compiled kernel", message, bitcode);
  const Owned<LLVMOpaqueContext, LLVMContextDispose> context(LLVMContextCreate());
  LLVMOpaqueModule* parsed = nullptr;
  // Takes the buffer.
  if (LLVMParseIRInContext(context.get(), buffer, &parsed, &message) != 0)
    return failure("LLVM cannot read the compiled kernel", message, bitcode);
  const Owned<LLVMOpaqueModule, LLVMDisposeModule> module(parsed);
  LLVMTarget* target = nullptr;
  if (LLVMGetTargetFromTriple(kGpu, &target, &message) != 0)
    return failure("this LLVM does not know NVIDIA's GPUs", message, bitcode);
  const Owned<LLVMOpaqueTargetMachine, LLVMDisposeTargetMachine> machine(
      LLVMCreateTargetMachine(target, kGpu, "sm_90", "", 1, 0, 0));
  const Owned<LLVMOpaquePassBuilderOptions, LLVMDisposePassBuilderOptions> options(LLVMCreatePassBuilderOptions());
  if (LLVMOpaqueError* error =
          LLVMRunPasses(module.get(), "function(load-store-vectorizer,tsan)", machine.get(), options.get())) {
    char* text = LLVMGetErrorMessage(error);
    const std::string copy = text;
    LLVMDisposeErrorMessage(text);
    return internal_error("LLVM cannot instrument the kernel: " + copy);
  }
  if (LLVMWriteBitcodeToFile(module.get(), instrumented.c_str()) != 0)
    return internal_error("cannot write the instrumented kernel", {instrumented.string(), 0, 0});
  return {};
}

}  // namespace swizzleperf

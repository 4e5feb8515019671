// What clang's syntax tree says about a HIP or CUDA kernel: its parameters, where it reads block ids, where its body
// is.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "workload/case.h"

namespace swizzleperf {

struct KernelParameter {
  std::string name;
  std::string type;  // canonical spelling: "const float *", "int"
  bool pointer = false;
  bool constant = false;  // pointer to const
};

// A byte range in the source file, [begin, end).
struct Span {
  size_t begin = 0;
  size_t end = 0;
  int line = 0;  // of begin, from 1
  int column = 0;
};

// A function body, '{' to '}', in which a local `blockIdx` takes the place of the real one.
struct RemapScope {
  std::string function;  // as messages name it
  Span body;
};

// A read of the block id. Whoever rewrites the kernel must cover every one of these or refuse.
struct BlockIdUse {
  enum class Kind { kBlockIdx, kHipBlockIdx, kBuiltin, kMacro, kAssembly };
  Kind kind = Kind::kBlockIdx;
  Span span;                // expansion location
  std::string function;     // the function it stands in: the kernel itself or what it reaches
  std::string text;         // "blockIdx", "::blockIdx", "hipBlockIdx_x", the name of a macro
  bool in_source = true;    // false: in an included file
  int scope = -1;           // of KernelInfo::scopes, where a local blockIdx covers it; -1: nothing can
  std::string reason = {};  // why not, where scope is -1
};

struct KernelInfo {
  std::string name;         // qualified, without template arguments
  std::string symbol_call;  // how to name it in a call: "ns::gemm<float, 128>"
  std::vector<KernelParameter> parameters;
  Span definition;                    // whole definition
  Span body;                          // from '{' to '}' inclusive
  std::vector<BlockIdUse> block_ids;  // in the kernel and in everything it reaches
  std::vector<RemapScope> scopes;     // the kernel's body first, then what block_ids name: helpers, lambdas, methods
  bool reads_grid_dim = false;
  bool uses_cluster_or_grid_sync = false;    // cooperative grid sync, cluster launch: unsupported
  std::vector<std::string> kernels_in_file;  // for "did you mean"
  std::string source;                        // the file's bytes as they were read
};

// User errors carry clang's own diagnostics (file, line, message). `missing` where libclang cannot be loaded.
Expected<KernelInfo> analyse_source(const Case& the_case);

// Names of all __global__ functions with parameters, for `init`.
struct KernelOutline {
  std::string name;
  std::vector<KernelParameter> parameters;
  int line = 0;
};
Expected<std::vector<KernelOutline>> list_kernels(const std::filesystem::path& source, Dialect dialect);

}  // namespace swizzleperf

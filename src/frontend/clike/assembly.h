// What is done to a kernel's assembly text between compiling and linking. Private to the front end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

// Forbidden bytes behind every shared array, so that an index that runs over does not land in the next array.
// Unsupported, with the line, where the source has inline assembly.
Expected<std::string> guard_shared_arrays(const std::string& assembly);

// Definitions of the arrays that a kernel declares `extern __shared__`: all at one address, as on a GPU.
std::string dynamic_shared_assembly(const std::vector<std::string>& names);

// A variable of a linked kernel.
struct LibrarySymbol {
  std::string name;     // as in the source
  std::string mangled;  // as in the symbol table
  bool shared = false;  // shared memory: `offset` counts from the start of the thread-local block, else of the image
  int64_t offset = 0;
  int64_t bytes = 0;
  bool zeros = false;  // no initial value but zeros
};
Expected<std::vector<LibrarySymbol>> library_symbols(const std::filesystem::path& library);

// Thread-local names that an object file leaves undefined: the `extern __shared__` arrays.
Expected<std::vector<std::string>> undefined_shared(const std::filesystem::path& object);

}  // namespace swizzleperf

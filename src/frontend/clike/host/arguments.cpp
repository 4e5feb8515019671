#include "frontend/clike/host/arguments.h"

#include <fmt/format.h>

#include <cstring>

#include "frontend/clike/host/failure.h"

namespace swizzleperf::host {
namespace {

struct Parameter {
  int size;
  int pointer;
};

void check(const Argument& argument, const Parameter& parameter, size_t number) {
  if ((parameter.pointer != 0) != argument.buffer) {
    fail("user", fmt::format("argument mismatch: parameter {} of the kernel is a {}, the case's '{}' is a {}", number,
                             parameter.pointer != 0 ? "pointer" : "value", argument.name,
                             argument.buffer ? "buffer" : "scalar"));
  }
  if (!argument.buffer && parameter.size != static_cast<int>(argument.bytes.size())) {
    fail("user", fmt::format("argument mismatch: parameter {} of the kernel has {} bytes, the case's '{}' has {}",
                             number, parameter.size, argument.name, argument.bytes.size()));
  }
}

}  // namespace

std::vector<ArgumentStorage> make_arguments(const Library& library, const std::vector<Buffer>& buffers) {
  const int count = reinterpret_cast<int (*)()>(library.function("sp_parameter_count"))();
  const Parameter* parameters = reinterpret_cast<const Parameter* (*)()>(library.function("sp_parameters"))();
  if (count != static_cast<int>(buffers.size()))
    fail("user",
         fmt::format("argument mismatch: the kernel takes {} arguments, the case lists {}", count, buffers.size()));
  std::vector<ArgumentStorage> storage(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    check(buffers[i].argument, parameters[i], i + 1);
    const std::string& bytes = buffers[i].argument.bytes;
    storage[i].resize(1 + bytes.size() / sizeof(std::max_align_t));
    if (buffers[i].argument.buffer)
      std::memcpy(storage[i].data(), &buffers[i].base, sizeof(void*));
    else
      std::memcpy(storage[i].data(), bytes.data(), bytes.size());
  }
  return storage;
}

}  // namespace swizzleperf::host

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
  if (!argument.buffer && parameter.size != size_of(argument.dtype)) {
    fail("user",
         fmt::format("argument mismatch: parameter {} of the kernel has {} bytes, the case's '{}' is {} ({} bytes)",
                     number, parameter.size, argument.name, to_string(argument.dtype), size_of(argument.dtype)));
  }
}

void store_scalar(const Argument& argument, unsigned char* to) {
  const auto float_value = static_cast<float>(argument.real);
  const auto half_value = static_cast<_Float16>(argument.real);
  switch (argument.dtype) {
    case DType::kF32:
      std::memcpy(to, &float_value, sizeof float_value);
      break;
    case DType::kF64:
      std::memcpy(to, &argument.real, sizeof argument.real);
      break;
    case DType::kF16:
      std::memcpy(to, &half_value, sizeof half_value);
      break;
    case DType::kBf16:
      std::memcpy(to, reinterpret_cast<const unsigned char*>(&float_value) + 2, 2);
      break;
    default:  // little endian
      std::memcpy(to, &argument.integer, static_cast<size_t>(size_of(argument.dtype)));
      break;
  }
}

}  // namespace

std::vector<std::array<unsigned char, 16>> make_arguments(const Library& library, const std::vector<Buffer>& buffers) {
  const int count = reinterpret_cast<int (*)()>(library.function("sp_parameter_count"))();
  const Parameter* parameters = reinterpret_cast<const Parameter* (*)()>(library.function("sp_parameters"))();
  if (count != static_cast<int>(buffers.size()))
    fail("user",
         fmt::format("argument mismatch: the kernel takes {} arguments, the case lists {}", count, buffers.size()));
  std::vector<std::array<unsigned char, 16>> storage(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    check(buffers[i].argument, parameters[i], i + 1);
    if (buffers[i].argument.buffer) {
      std::memcpy(storage[i].data(), &buffers[i].base, sizeof(void*));
    } else {
      store_scalar(buffers[i].argument, storage[i].data());
    }
  }
  return storage;
}

}  // namespace swizzleperf::host

#include "inputs.h"

#include <cstring>
#include <stdexcept>

#include "workload/fill.h"
#include "workload/npy.h"

namespace swizzleperf {
namespace {

template <class T>
std::vector<double> as_doubles(const std::string& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
  return std::vector<double>(elements.begin(), elements.end());
}

}  // namespace

std::vector<double> decode(DType type, const std::string& bytes) {
  switch (type) {
    case DType::kF16:
      return as_doubles<_Float16>(bytes);
    case DType::kBf16: {
      // The upper half of an fp32 number.
      std::string wide(bytes.size() * 2, '\0');
      for (size_t i = 0; i < bytes.size(); ++i) wide[i / 2 * 4 + 2 + i % 2] = bytes[i];
      return as_doubles<float>(wide);
    }
    case DType::kF32:
      return as_doubles<float>(bytes);
    case DType::kF64:
      return as_doubles<double>(bytes);
    case DType::kI8:
      return as_doubles<int8_t>(bytes);
    case DType::kU8:
      return as_doubles<uint8_t>(bytes);
    case DType::kI16:
      return as_doubles<int16_t>(bytes);
    case DType::kU16:
      return as_doubles<uint16_t>(bytes);
    case DType::kI32:
      return as_doubles<int32_t>(bytes);
    case DType::kU32:
      return as_doubles<uint32_t>(bytes);
    case DType::kI64:
      return as_doubles<int64_t>(bytes);
    case DType::kU64:
      return as_doubles<uint64_t>(bytes);
  }
  throw std::logic_error("unknown element type");
}

const Argument& Inputs::argument(const std::string& name, bool buffer) const {
  for (const Argument& argument : instance_.arguments) {
    if (argument.name == name && argument.buffer == buffer) return argument;
  }
  throw std::out_of_range("the case has no " + std::string(buffer ? "buffer" : "scalar") + " named " + name);
}

std::vector<double> Inputs::buffer(const std::string& name) const {
  const Argument& found = argument(name, true);
  if (found.init.kind == Init::Kind::kNpy) return decode(found.dtype, read_npy_data(found.init.file).value());
  std::string bytes(static_cast<size_t>(found.elements * size_of(found.dtype)), '\0');
  fill_buffer(found, 0, found.elements, bytes.data());
  return decode(found.dtype, bytes);
}

int64_t Inputs::integer(const std::string& name) const {
  return argument(name, false).integer;
}

double Inputs::real(const std::string& name) const {
  return argument(name, false).real;
}

}  // namespace swizzleperf

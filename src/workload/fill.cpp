#include "workload/fill.h"

#include <cmath>
#include <cstring>

#include "workload/contents.h"

namespace swizzleperf {
namespace {

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace

std::string scalar_bytes(DType dtype, int64_t integer, double real) {
  const auto single = static_cast<float>(real);
  switch (dtype) {
    case DType::kF16:
      return bytes_of(std::isnan(single) ? uint16_t{0x7E00} : to_f16(single));
    case DType::kBf16:
      return bytes_of(std::isnan(single) ? uint16_t{0x7FC0} : to_bf16(single));
    case DType::kF32:
      return bytes_of(single);
    case DType::kF64:
      return bytes_of(real);
    default:  // little endian
      return bytes_of(integer).substr(0, static_cast<size_t>(size_of(dtype)));
  }
}

void fill_buffer(const Argument& argument, int64_t first, int64_t count, void* out) {
  // The kinds stand in the same order: what the case says of a file is data that the caller has.
  const ContentsRule rule{.kind = static_cast<ContentsRule::Kind>(argument.init.kind),
                          .seed = argument.init.seed,
                          .low = argument.init.low,
                          .high = argument.init.high};
  fill_elements(argument.dtype, rule, first, count, out);
}

}  // namespace swizzleperf

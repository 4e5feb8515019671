#include "runner/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include "runner/failure.h"
#include "runner/json.h"

namespace swizzleperf::runner {
namespace {

constexpr unsigned char kPoison = 0xFB;

// Calls part(begin, end) for equal parts of [0, count), one a processor.
template <class Part>
void in_parallel(int64_t count, Part part) {
  const auto threads = static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> running;
  for (int64_t i = 0; i < threads; ++i)
    running.emplace_back([=] { part(count * i / threads, count * (i + 1) / threads, i); });
  for (std::thread& thread : running) thread.join();
}

// The value of a half precision number: `fraction` bits behind the leading one.
double widen(uint16_t bits, int fraction) {
  const int exponent_bits = 15 - fraction;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> fraction & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << fraction) - 1);
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1)
    value = mantissa == 0 ? HUGE_VAL : std::nan("");
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - fraction);
  else
    value = std::ldexp(mantissa + (1 << fraction), exponent - bias - fraction);
  return (bits & 0x8000) != 0 ? -value : value;
}

// Little endian, sign-extended for signed types.
double integer_of(DType dtype, const unsigned char* at) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(size_of(dtype));
  std::memcpy(&bits, at, size);
  const bool is_signed = smallest_integer(dtype) < 0;
  if (!is_signed) return static_cast<double>(bits);
  const auto unused = static_cast<unsigned>(64 - 8 * size);
  return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
}

double value_of(DType dtype, const unsigned char* at) {
  uint16_t half = 0;
  float single = 0;
  double value = 0;
  switch (dtype) {
    case DType::kF16:
      std::memcpy(&half, at, sizeof half);
      return widen(half, 10);
    case DType::kBf16:
      std::memcpy(&half, at, sizeof half);
      return widen(half, 7);
    case DType::kF32:
      std::memcpy(&single, at, sizeof single);
      return single;
    case DType::kF64:
      std::memcpy(&value, at, sizeof value);
      return value;
    default:
      return integer_of(dtype, at);
  }
}

bool equal(const JobArgument& a, const unsigned char* reference, const unsigned char* found, int64_t size) {
  const bool same = std::memcmp(reference, found, static_cast<size_t>(size)) == 0;
  if (!is_floating(a.dtype)) return same;
  const double value = value_of(a.dtype, reference);
  if (same) return !std::isnan(value);
  const double other = value_of(a.dtype, found);
  return a.tolerance > 0 && std::abs(value - other) <= a.tolerance * std::max(1.0, std::abs(value));
}

// Equal bytes of floating types still may be NaN.
bool any_nan(const JobArgument& a, const unsigned char* at, int64_t elements, int64_t size) {
  for (int64_t i = 0; i < elements; ++i) {
    if (std::isnan(value_of(a.dtype, at + i * size))) return true;
  }
  return false;
}

std::string hexadecimal(const unsigned char* at, int64_t bytes) {
  std::string text = "0x";
  for (int64_t i = bytes - 1; i >= 0; --i) {
    std::array<char, 4> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(at[i]));
    text += digits.data();
  }
  return text;
}

// Counts the elements of a chunk that differ, and finds the first; by parts, because most parts are equal as a whole.
void compare_chunk(const JobArgument& a, const unsigned char* reference, const unsigned char* found, int64_t elements,
                   int64_t offset, Difference& difference) {
  const int64_t size = size_of(a.dtype);
  struct Part {
    int64_t differing = 0, first = -1;
  };
  std::vector<Part> parts(std::max(1U, std::thread::hardware_concurrency()));
  in_parallel(elements, [&](int64_t begin, int64_t end, int64_t index) {
    Part& part = parts[static_cast<size_t>(index)];
    if (std::memcmp(reference + begin * size, found + begin * size, static_cast<size_t>((end - begin) * size)) == 0 &&
        (!is_floating(a.dtype) || !any_nan(a, reference + begin * size, end - begin, size)))
      return;
    for (int64_t i = begin; i < end; ++i) {
      if (equal(a, reference + i * size, found + i * size, size)) continue;
      if (part.differing++ == 0) part.first = i;
    }
  });
  for (const Part& part : parts) {
    difference.elements += part.differing;
    if (part.differing == 0 || difference.first >= 0) continue;
    difference.first = offset + part.first;
    difference.reference = hexadecimal(reference + part.first * size, size);
    difference.found = hexadecimal(found + part.first * size, size);
  }
}

}  // namespace

Staging::Staging(const Device& device)
    : first_(static_cast<unsigned char*>(device.allocate_pinned(kBytes))),
      second_(static_cast<unsigned char*>(device.allocate_pinned(kBytes))) {}

ArgumentSet::ArgumentSet(const Device& device, const Job& job)
    : device_(device), job_(job), buffers_(job.arguments.size()), pointers_(job.arguments.size()) {
  for (size_t i = 0; i < job.arguments.size(); ++i) {
    const JobArgument& a = job.arguments[i];
    // The driver only reads what the pointers lead to.
    pointers_[i] = a.buffer ? static_cast<void*>(&buffers_[i]) : const_cast<char*>(a.bytes.data());
    if (!a.buffer) continue;
    const int64_t bytes = a.elements * size_of(a.dtype);
    buffers_[i] = device.allocate(bytes);
    bytes_ += bytes;
  }
}

void ArgumentSet::fill_one(size_t index, Staging& staging, int shift) {
  const JobArgument& a = job_.arguments[index];
  const int64_t size = size_of(a.dtype);
  if (a.poisoned || a.init.kind == ContentsRule::Kind::kZeros) {
    device_.set_bytes(buffers_[index], a.poisoned ? kPoison : 0, a.elements * size);
    device_.wait();
    return;
  }
  ContentsRule init = a.init;
  init.seed += static_cast<uint64_t>(shift);
  const int64_t chunk = Staging::kBytes / size;
  for (int64_t first = 0; first < a.elements; first += chunk) {
    const int64_t count = std::min(chunk, a.elements - first);
    const unsigned char* from = staging.first();
    if (a.init.kind == ContentsRule::Kind::kData) {
      from = reinterpret_cast<const unsigned char*>(a.bytes.data()) + first * size;
    } else {
      in_parallel(count, [&](int64_t begin, int64_t end, int64_t) {
        fill_elements(a.dtype, init, first + begin, end - begin, staging.first() + begin * size);
      });
    }
    device_.copy_in(buffers_[index] + static_cast<DevicePointer>(first * size), from, count * size);
  }
}

void ArgumentSet::fill(Staging& staging, int shift) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (job_.arguments[i].buffer) fill_one(i, staging, shift);
  }
}

void ArgumentSet::fill_outputs(Staging& staging, int shift) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (job_.arguments[i].output) fill_one(i, staging, shift);
  }
}

void ArgumentSet::copy_from(const ArgumentSet& other) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const JobArgument& a = job_.arguments[i];
    if (a.buffer) device_.copy_within(buffers_[i], other.buffers_[i], a.elements * size_of(a.dtype));
  }
}

std::optional<Difference> ArgumentSet::compare_one(size_t index, Staging& staging, const ArgumentSet& reference) const {
  const JobArgument& a = job_.arguments[index];
  const int64_t size = size_of(a.dtype);
  const int64_t chunk = Staging::kBytes / size;
  Difference difference{.argument = std::to_string(index + 1)};
  for (int64_t first = 0; first < a.elements; first += chunk) {
    const int64_t count = std::min(chunk, a.elements - first);
    const auto offset = static_cast<DevicePointer>(first * size);
    device_.copy_out(staging.first(), reference.buffers_[index] + offset, count * size);
    device_.copy_out(staging.second(), buffers_[index] + offset, count * size);
    compare_chunk(a, staging.first(), staging.second(), count, first, difference);
  }
  if (difference.elements == 0) return std::nullopt;
  return difference;
}

std::string ArgumentSet::outputs_json(Staging& staging) const {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const JobArgument& a = job_.arguments[i];
    if (!a.output) continue;
    const int64_t size = size_of(a.dtype);
    if (a.elements * size > Staging::kBytes) throw Failure("job", "an output is too large to be read");
    device_.copy_out(staging.first(), buffers_[i], a.elements * size);
    std::vector<double> values;
    for (int64_t k = 0; k < a.elements; ++k) values.push_back(value_of(a.dtype, staging.first() + k * size));
    outputs.push_back(json_list(values));
  }
  return json_list(outputs);
}

std::optional<Difference> ArgumentSet::compare(Staging& staging, const ArgumentSet& reference) const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!job_.arguments[i].output) continue;
    if (auto difference = compare_one(i, staging, reference)) return difference;
  }
  return std::nullopt;
}

}  // namespace swizzleperf::runner

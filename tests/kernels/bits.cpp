// Kernels on whole numbers and their bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "references.h"

namespace swizzleperf {
namespace {

uint32_t reversed(uint32_t v) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r |= (v >> i & 1U) << (31 - i);
  return r;
}

uint32_t blend(uint32_t a, uint32_t b, uint32_t most, size_t mode) {
  return mode == 0 ? (a + b) / 2 : mode == 1 ? std::min(a, b) : mode == 2 ? std::max(a, b) : most - a;
}

}  // namespace

Outputs compacted(const Inputs& in) {
  const auto x = in.buffer("in");
  std::vector<double> out(x.size()), counts(x.size() / 128);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] <= 0) continue;
    double& count = counts[i / 128];
    out[i / 128 * 128 + static_cast<size_t>(count)] = x[i];
    count += 1;
  }
  return {out, counts};
}

Outputs blended(const Inputs& in) {
  const auto a = in.buffer("a"), b = in.buffer("b");
  std::vector<double> out;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<uint32_t>(a[i]), y = static_cast<uint32_t>(b[i]);
    const uint32_t red = blend(x >> 11, y >> 11, 31, i % 4), green = blend(x >> 5 & 63, y >> 5 & 63, 63, i % 4),
                   blue = blend(x & 31, y & 31, 31, i % 4);
    out.push_back(red << 11 | green << 5 | blue);
  }
  return {out};
}

Outputs mixed_bits(const Inputs& in) {
  std::vector<double> out;
  for (const double number : in.buffer("in")) {
    const auto v = static_cast<uint32_t>(number);
    const uint32_t other = v * 3;
    // Selector 0x2570: byte 0 of v, byte 3 of v * 3, byte 1 of v * 3, byte 2 of v, the lowest first.
    const uint32_t picked = (v & 255) | (other >> 24) << 8 | (other >> 8 & 255) << 16 | (v >> 16 & 255) << 24;
    uint32_t h = reversed(v) ^ (~v << 7 | v >> 25) ^ picked;
    h += static_cast<uint32_t>(std::popcount(v) + std::countl_zero(v) + std::countr_zero(v) + 1);
    out.push_back(static_cast<uint32_t>((uint64_t{h} * 0x9e3779b9U) >> 32) +
                  static_cast<uint32_t>(std::nearbyint((v & 0xffff) * 0.25)));
  }
  return {out};
}

Outputs voted(const Inputs& in) {
  const auto keys = in.buffer("keys");
  std::vector<double> peers, sums, flags;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto warp = keys.begin() + static_cast<ptrdiff_t>(i / 32 * 32);
    peers.push_back(static_cast<double>(std::count(warp, warp + 32, keys[i])));
    double sum = *std::max_element(warp, warp + 32);
    for (auto at = warp; at != warp + 32; ++at) sum += *at;
    sums.push_back(sum);
    if (i % 64 != 0) continue;
    const auto all = [&](auto condition) { return std::all_of(warp, warp + 64, condition); };
    const double agreed = all([](double k) { return k < 4; }) ? 1 : 0;
    const double zero = std::count(warp, warp + 64, 0.0) > 0 ? 2 : 0;
    const bool any3 = std::count(warp, warp + 32, 3.0) > 0;
    // `any` and `all not` are opposites, so that they always differ.
    const double votes = any3 != !any3 ? 4 : 0;
    flags.push_back(agreed + zero + votes + 8 * static_cast<double>(std::count(warp, warp + 64, 1.0)));
  }
  return {peers, sums, flags};
}

}  // namespace swizzleperf

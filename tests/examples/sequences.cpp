// Alignment of sequences.
#include <algorithm>

#include "references.h"

namespace swizzleperf {
namespace {

size_t index(int64_t i) {
  return static_cast<size_t>(i);
}

}  // namespace

// Elements off the anti-diagonal of tiles keep what they hold; those on it follow the recurrence.
Outputs smith_waterman(const Inputs& in) {
  constexpr int64_t kTile = 64;
  const int64_t m = in.integer("m"), n = in.integer("n"), wave = in.integer("wave");
  const auto a = in.buffer("a"), b = in.buffer("b");
  auto h = in.buffer("h");
  const auto at = [&](int64_t i, int64_t j) { return i < 0 || j < 0 ? 0.0 : h[index(i * n + j)]; };
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (i / kTile + j / kTile != wave) continue;
      const double score = a[index(i)] == b[index(j)] ? 5 : -4;
      h[index(i * n + j)] = std::max({0.0, at(i - 1, j - 1) + score, at(i - 1, j) - 3, at(i, j - 1) - 3});
    }
  }
  return {h};
}

}  // namespace swizzleperf

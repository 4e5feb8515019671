// Stream-K: which workgroup has which steps of which tile, and the products that follow from it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "references.h"

namespace swizzleperf {
namespace {

constexpr int64_t kTile = 128;
constexpr int64_t kTileK = 32;
constexpr double kAny = std::numeric_limits<double>::quiet_NaN();

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

struct Part {
  int64_t workgroup, tile, from, to;  // steps along K of the tile
};

struct Cut {
  int64_t m, n, k, columns, tile_steps, steps;
  std::vector<Part> parts;

  bool whole(const Part& part) const { return part.to - part.from == tile_steps; }
  int64_t row(int64_t tile) const { return tile / columns * kTile; }
  int64_t column(int64_t tile) const { return tile % columns * kTile; }
};

// Step by step: a new part begins with each workgroup and with each tile.
Cut cut_steps(const Inputs& in) {
  Cut cut{in.integer("m"), in.integer("n"), in.integer("k"), 0, 0, 0, {}};
  cut.columns = ceil_div(cut.n, kTile);
  cut.tile_steps = ceil_div(cut.k, kTileK);
  cut.steps = ceil_div(cut.m, kTile) * cut.columns * cut.tile_steps;
  const int64_t workgroups = in.size("units");
  int64_t workgroup = 0;
  for (int64_t step = 0; step < cut.steps; ++step) {
    while (cut.steps * (workgroup + 1) / workgroups <= step) ++workgroup;
    const int64_t tile = step / cut.tile_steps, at = step % cut.tile_steps;
    if (cut.parts.empty() || cut.parts.back().workgroup != workgroup || cut.parts.back().tile != tile)
      cut.parts.push_back({workgroup, tile, at, at});
    cut.parts.back().to = at + 1;
  }
  return cut;
}

// Where a part that is not a whole tile lies in `partial`.
size_t slot(const Part& part) {
  return static_cast<size_t>((2 * part.workgroup + (part.from == 0 ? 1 : 0)) * kTile * kTile);
}

}  // namespace

Outputs stream_k(const Inputs& in) {
  const Cut cut = cut_steps(in);
  const auto a = in.buffer("a"), b = in.buffer("b");
  std::vector<double> c(static_cast<size_t>(cut.m * cut.n), kAny);
  std::vector<double> partial(static_cast<size_t>(in.size("units") * 2 * kTile * kTile), kAny);
  for (const Part& part : cut.parts) {
    for (int64_t i = 0; i < kTile * kTile; ++i) {
      const int64_t row = cut.row(part.tile) + i / kTile, column = cut.column(part.tile) + i % kTile;
      const bool inside = row < cut.m && column < cut.n;
      double sum = 0;
      for (int64_t k = part.from * kTileK; inside && k < std::min(cut.k, part.to * kTileK); ++k)
        sum += a[static_cast<size_t>(row * cut.k + k)] * b[static_cast<size_t>(k * cut.n + column)];
      if (!cut.whole(part)) partial[slot(part) + static_cast<size_t>(i)] = sum;
      if (cut.whole(part) && inside) c[static_cast<size_t>(row * cut.n + column)] = sum;
    }
  }
  return {c, partial};
}

Outputs stream_k_fixup(const Inputs& in) {
  const Cut cut = cut_steps(in);
  const auto partial = in.buffer("partial");
  std::vector<double> c(static_cast<size_t>(cut.m * cut.n), kAny);
  for (const Part& part : cut.parts) {
    if (cut.whole(part)) continue;
    for (int64_t i = 0; i < kTile * kTile; ++i) {
      const int64_t row = cut.row(part.tile) + i / kTile, column = cut.column(part.tile) + i % kTile;
      if (row >= cut.m || column >= cut.n) continue;
      double& to = c[static_cast<size_t>(row * cut.n + column)];
      to = (std::isnan(to) ? 0 : to) + partial[slot(part) + static_cast<size_t>(i)];
    }
  }
  return {c};
}

}  // namespace swizzleperf

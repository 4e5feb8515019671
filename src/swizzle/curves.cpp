// Space-filling curves over any rectangle: one cell by a bounded descent, each step of which at least halves one side;
// or all cells by walking the same parts in order.
#include <algorithm>
#include <cstdlib>

#include "swizzle/program.h"

namespace swizzleperf::detail {
namespace {

int64_t sign(int64_t v) {
  return (v > 0) - (v < 0);
}

struct Vector {
  int64_t x = 0;
  int64_t y = 0;
  int64_t length() const { return std::abs(x + y); }  // one component is always 0
  Vector half() const { return {x >> 1, y >> 1}; }    // rounded down, as the construction needs for negative sides
  Vector unit() const { return {sign(x), sign(y)}; }
};
Vector operator+(Vector a, Vector b) {
  return {a.x + b.x, a.y + b.y};
}
Vector operator-(Vector a, Vector b) {
  return {a.x - b.x, a.y - b.y};
}
Vector operator-(Vector a) {
  return {-a.x, -a.y};
}

// A rectangle spanned by vectors a (the long way) and b, walked from its corner `at`.
struct Part {
  Vector at, a, b;
};

// Splits a part that is more than one cell wide and high: along a when it is long, else into three.
int split(const Part& part, Part* out) {
  const auto& [at, a, b] = part;
  const int64_t width = a.length(), height = b.length();
  Vector a2 = a.half(), b2 = b.half();
  if (2 * width > 3 * height) {
    if (a2.length() % 2 == 1 && width > 2) a2 = a2 + a.unit();
    out[0] = {at, a2, b};
    out[1] = {at + a2, a - a2, b};
    return 2;
  }
  if (b2.length() % 2 == 1 && height > 2) b2 = b2 + b.unit();
  out[0] = {at, b2, a2};
  out[1] = {at + b2, a, b - b2};
  out[2] = {at + (a - a.unit()) + (b2 - b.unit()), -b2, -(a - a2)};
  return 3;
}

void walk_hilbert(const Part& part, std::vector<SmallCell>& cells) {
  const int64_t width = part.a.length(), height = part.b.length();
  if (width > 1 && height > 1) {
    Part parts[3];
    const int count = split(part, parts);
    for (int i = 0; i < count; ++i) walk_hilbert(parts[i], cells);
    return;
  }
  const Vector step = height == 1 ? part.a.unit() : part.b.unit();
  Vector at = part.at;
  for (int64_t i = std::max(width, height); i > 0; --i, at = at + step)
    cells.push_back({static_cast<int32_t>(at.x), static_cast<int32_t>(at.y)});
}

Part whole(int64_t rows, int64_t columns) {
  if (columns >= rows) return {{0, 0}, {columns, 0}, {0, rows}};
  return {{0, 0}, {0, rows}, {columns, 0}};
}

void walk_morton(int64_t x, int64_t y, int64_t side, int64_t rows, int64_t columns, std::vector<SmallCell>& cells) {
  if (x >= columns || y >= rows) return;
  if (side == 1) {
    cells.push_back({static_cast<int32_t>(x), static_cast<int32_t>(y)});
    return;
  }
  for (int quadrant = 0; quadrant < 4; ++quadrant)
    walk_morton(x + quadrant % 2 * (side / 2), y + quadrant / 2 * (side / 2), side / 2, rows, columns, cells);
}

int64_t morton_side(int64_t rows, int64_t columns) {
  int64_t side = 1;
  while (side < rows || side < columns) side *= 2;
  return side;
}

}  // namespace

// The generalised Hilbert curve of Cerveny (2019): the part that holds step t is entered.
Cell hilbert_cell(int64_t t, int64_t rows, int64_t columns) {
  Part part = whole(rows, columns);
  while (part.a.length() > 1 && part.b.length() > 1) {
    Part parts[3];
    const int count = split(part, parts);
    for (int i = 0; i < count; ++i) {
      part = parts[i];
      const int64_t cells = part.a.length() * part.b.length();
      if (t < cells) break;
      t -= i + 1 < count ? cells : 0;
    }
  }
  const Vector step = part.b.length() == 1 ? part.a.unit() : part.b.unit();
  return {part.at.x + step.x * t, part.at.y + step.y * t};
}

std::vector<SmallCell> hilbert_cells(int64_t rows, int64_t columns) {
  std::vector<SmallCell> cells;
  cells.reserve(static_cast<size_t>(rows * columns));
  walk_hilbert(whole(rows, columns), cells);
  return cells;
}

std::vector<SmallCell> morton_cells(int64_t rows, int64_t columns) {
  std::vector<SmallCell> cells;
  cells.reserve(static_cast<size_t>(rows * columns));
  walk_morton(0, 0, morton_side(rows, columns), rows, columns, cells);
  return cells;
}

// Morton order of the smallest power-of-two square that holds the rectangle, without the cells outside it.
Cell morton_cell(int64_t t, int64_t rows, int64_t columns) {
  int64_t side = morton_side(rows, columns);
  int64_t x = 0;
  int64_t y = 0;
  const auto clipped = [](int64_t from, int64_t length, int64_t limit) {
    return from >= limit ? 0 : length < limit - from ? length : limit - from;
  };
  while (side > 1) {
    side /= 2;
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const int64_t qx = x + (quadrant % 2) * side;
      const int64_t qy = y + (quadrant / 2) * side;
      const int64_t cells = clipped(qx, side, columns) * clipped(qy, side, rows);
      if (t < cells) {
        x = qx;
        y = qy;
        break;
      }
      t -= cells;
    }
  }
  return {x, y};
}

}  // namespace swizzleperf::detail

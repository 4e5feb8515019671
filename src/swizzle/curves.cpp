// Space-filling curves over any rectangle, by a bounded descent: each step at least halves one side.
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

}  // namespace

// The generalised Hilbert curve of Cerveny (2019): a rectangle spanned by vectors a and b is split into two along a
// when it is long, else into three, and the part that holds step t is entered.
Cell hilbert_cell(int64_t t, int64_t rows, int64_t columns) {
  Vector at{0, 0};
  Vector a = columns >= rows ? Vector{columns, 0} : Vector{0, rows};
  Vector b = columns >= rows ? Vector{0, rows} : Vector{columns, 0};
  while (true) {
    const int64_t width = a.length();
    const int64_t height = b.length();
    if (height == 1) return {at.x + a.unit().x * t, at.y + a.unit().y * t};
    if (width == 1) return {at.x + b.unit().x * t, at.y + b.unit().y * t};
    Vector a2 = a.half();
    Vector b2 = b.half();
    if (2 * width > 3 * height) {
      if (a2.length() % 2 == 1 && width > 2) a2 = a2 + a.unit();
      const int64_t first = a2.length() * height;
      if (t < first) {
        a = a2;
      } else {
        t -= first;
        at = at + a2;
        a = a - a2;
      }
      continue;
    }
    if (b2.length() % 2 == 1 && height > 2) b2 = b2 + b.unit();
    const int64_t first = b2.length() * a2.length();
    const int64_t second = width * (b - b2).length();
    if (t < first) {
      a = b2;
      b = a2;
    } else if (t < first + second) {
      t -= first;
      at = at + b2;
      b = b - b2;
    } else {
      t -= first + second;
      at = at + (a - a.unit()) + (b2 - b.unit());
      b = -(a - a2);
      a = -b2;
    }
  }
}

// Morton order of the smallest power-of-two square that holds the rectangle, without the cells outside it.
Cell morton_cell(int64_t t, int64_t rows, int64_t columns) {
  int64_t side = 1;
  while (side < rows || side < columns) side *= 2;
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

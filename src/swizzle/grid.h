// A launch grid, and how launch ids are counted: x fastest, then y, then z.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace swizzleperf {

struct Grid {
  int64_t x = 1;
  int64_t y = 1;
  int64_t z = 1;
  int64_t size() const { return x * y * z; }  // number of workgroups; <= 2^31 - 1 for a valid grid
  int axes() const { return z > 1 ? 3 : y > 1 ? 2 : 1; }
  auto operator<=>(const Grid&) const = default;
};

struct Coordinate {
  int64_t x = 0;
  int64_t y = 0;
  int64_t z = 0;
  auto operator<=>(const Coordinate&) const = default;
};

// coordinate(g, linear(g, c)) == c for every c inside g.
inline int64_t linear(const Grid& g, const Coordinate& c) {
  return c.x + g.x * (c.y + g.y * c.z);
}
inline Coordinate coordinate(const Grid& g, int64_t wg) {
  return {wg % g.x, wg / g.x % g.y, wg / g.x / g.y};
}

// Every axis at least 1 and the product at most 2^31 - 1; a user error says which axis is off.
Expected<Grid> make_grid(int64_t x, int64_t y = 1, int64_t z = 1);

// "X[,Y[,Z]]" as on the command line.
Expected<Grid> parse_grid(std::string_view text);

std::string to_string(const Grid& grid);  // "64x32"

}  // namespace swizzleperf

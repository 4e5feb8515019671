// Swizzle: a map that is proven a bijection on a grid. Only prove() makes one; the rewriter takes nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "swizzle/expr.h"

namespace swizzleperf {

// What a map does on a grid, whether or not it is a bijection. Fields as `swizzleperf check --json` prints them.
struct MapReport {
  Grid grid;
  bool bijective = false;
  bool identity = false;                       // tile(w) == w for every w
  int64_t distinct = 0;                        // distinct in-range tiles
  int64_t missing = 0;                         // n - distinct
  int64_t duplicated = 0;                      // in-range launches onto a tile already taken
  int64_t out_of_range = 0;                    // launches whose result leaves the grid, judged per axis
  std::vector<int64_t> lost_examples;          // first tiles that no workgroup takes (at most 8)
  std::vector<int64_t> duplicated_examples;    // first launch ids that repeat a tile
  std::vector<int64_t> out_of_range_examples;  // first launch ids that leave the grid
};

// tiles[w] = linear tile of launch id w, or -1 where the result leaves the grid. A fault of the program itself
// (division by zero, overflow, unknown name) is a user error with the position in the map and the launch id.
Expected<std::vector<int32_t>> evaluate_map(const SwizzleExpr& expr, const Grid& grid, const Sizes& sizes);

MapReport inspect_map(const Grid& grid, const std::vector<int32_t>& tiles);

class Swizzle {
 public:
  const SwizzleExpr& expr() const { return expr_; }
  const Grid& grid() const { return grid_; }
  const Sizes& sizes() const { return sizes_; }
  const std::vector<int32_t>& tiles() const { return *tiles_; }  // launch id -> tile, a permutation of 0..n-1
  bool identity() const { return identity_; }
  // Two swizzles are equal when the functions are equal.
  friend bool operator==(const Swizzle& a, const Swizzle& b) { return a.grid_ == b.grid_ && *a.tiles_ == *b.tiles_; }

 private:
  friend Expected<std::variant<Swizzle, MapReport>> prove(const SwizzleExpr&, const Grid&, const Sizes&);
  Swizzle(SwizzleExpr expr, Grid grid, Sizes sizes, std::vector<int32_t> tiles, bool identity)
      : expr_(std::move(expr)),
        grid_(grid),
        sizes_(std::move(sizes)),
        tiles_(std::make_shared<const std::vector<int32_t>>(std::move(tiles))),
        identity_(identity) {}
  SwizzleExpr expr_;
  Grid grid_;
  Sizes sizes_;
  std::shared_ptr<const std::vector<int32_t>> tiles_;
  bool identity_ = false;
};

// Exhaustive: evaluates every launch id. A Swizzle when bijective, else the report that says what is lost.
Expected<std::variant<Swizzle, MapReport>> prove(const SwizzleExpr& expr, const Grid& grid, const Sizes& sizes);

}  // namespace swizzleperf

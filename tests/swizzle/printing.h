// Maps to print, and a way to make them.
#pragma once

#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "swizzle/families.h"
#include "swizzle/print.h"

namespace swizzleperf {

struct Printed {
  Swizzle swizzle;
  bool guarded = true;
};

inline Swizzle swizzle_of(const std::string& map, const Grid& grid, const Sizes& sizes = {{"num_xcds", 8}}) {
  const auto expr = SwizzleExpr::parse(map);
  EXPECT_TRUE(expr) << map;
  auto proof = prove(*expr, grid, sizes);
  EXPECT_TRUE(proof) << map << describe(proof.error());
  EXPECT_TRUE(std::holds_alternative<Swizzle>(*proof)) << map;
  return std::get<Swizzle>(std::move(*proof));
}

// "xcd_chunked(16).grouped(8)" -> "xcd_chunked.grouped".
inline std::string without_parameters(const std::string& name) {
  std::string result;
  int depth = 0;
  for (const char c : name) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0) result += c;
    depth -= c == ')' ? 1 : 0;
  }
  return result;
}

// Grids of one, two and three axes, with remainders everywhere.
inline std::vector<FamilyRequest> medium_requests() {
  return {{.grid = {31, 17}, .num_xcds = 8},
          {.grid = {18, 24}, .num_xcds = 6},
          {.grid = {210}, .num_xcds = 8, .tile_rows = 14, .tile_columns = 15},
          {.grid = {360}, .num_xcds = 8, .digits = {3, 5, 6, 4}, .uneven_digit = 3},
          {.grid = {6, 5, 7}, .num_xcds = 8}};
}
inline std::vector<FamilyRequest> small_requests() {
  return {{.grid = {9, 5}, .num_xcds = 8},
          {.grid = {42}, .num_xcds = 3, .tile_rows = 6, .tile_columns = 7},
          {.grid = {36}, .num_xcds = 2, .digits = {2, 3, 2, 3}, .uneven_digit = 3},
          {.grid = {3, 4, 2}, .num_xcds = 2}};
}

// Of every family and curve at most `each` members with different parameters; unguarded, too, where the family may be.
inline std::vector<Printed> family_maps(size_t each, const std::vector<FamilyRequest>& requests) {
  std::vector<Printed> maps;
  for (const FamilyRequest& request : requests) {
    std::map<std::string, size_t> taken;
    for (const auto& member : enumerate_families(request)) {
      if (taken[without_parameters(member.name)]++ >= each) continue;
      const Sizes sizes = {{"num_xcds", request.num_xcds}};
      maps.push_back({swizzle_of(member.map, request.grid, sizes), true});
      if (member.every_grid) maps.push_back({swizzle_of(member.map, request.grid, sizes), false});
    }
  }
  return maps;
}

// Published maps that are bijections, on grids of at most `largest` workgroups.
inline std::vector<Printed> published_maps(int64_t largest) {
  using Json = nlohmann::json;
  const Json all =
      Json::parse(std::ifstream(std::string(SWIZZLEPERF_SOURCE_DIR) + "/tests/data/cases/published_maps.json"));
  std::vector<Printed> maps;
  for (const Json& one : all) {
    if (!one["bijective"].get<bool>()) continue;
    std::array<int64_t, 3> axes = {1, 1, 1};
    for (size_t i = 0; i < one["grid"].size(); ++i) axes.at(i) = one["grid"][i];
    if (axes[0] * axes[1] * axes[2] > largest) continue;
    maps.push_back({swizzle_of(one["map"], {axes[0], axes[1], axes[2]}, {{"num_xcds", one["num_xcds"]}}), true});
  }
  return maps;
}

}  // namespace swizzleperf

// Affine fits of footprints over features of tiles, in exact arithmetic. Private to the front end.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "frontend/clike/trace.h"

namespace swizzleperf {

// f(tile) = sum_i lambda_i(tile) * f(basis_i), sum_i lambda_i = 1, for every origin of a footprint. lambda comes from
// the tile's features: the same combination that gives its features from the features of the basis.
class AffineFit {
 public:
  // Byte origins of all accesses of a tile; nothing where they do not come out whole, or leave 128 bits on the way.
  std::optional<std::vector<int64_t>> origins(int64_t tile) const;

 private:
  friend class FeatureTable;
  const class FeatureTable* table_ = nullptr;
  std::vector<size_t> rows_;                     // the features that are independent over the basis
  std::vector<std::vector<__int128>> adjugate_;  // of the matrix of basis features; inverse = adjugate / determinant
  __int128 determinant_ = 1;
  std::vector<const Workload*> basis_;
};

// Integer features of every tile: its coordinates, and the origins of its first requests where these were traced.
class FeatureTable {
 public:
  explicit FeatureTable(const Grid& grid);
  // Prefixes of all tiles in order; used where they have the same number of accesses.
  void add_prefixes(const std::vector<TracedTile>& prefixes);
  std::vector<int64_t> of(int64_t tile) const;
  // Tiles whose features are affinely independent, as many as there are.
  std::vector<int64_t> choose_basis(const std::vector<int64_t>& tiles) const;
  // Nothing where the basis tiles differ in structure.
  std::optional<AffineFit> fit(const std::vector<int64_t>& basis, const std::vector<const Workload*>& footprints) const;

 private:
  Grid grid_;
  std::vector<std::vector<int64_t>> extra_;  // by feature, by tile: normalised to small integers
};

// The index of a site in a list of them, to which it is added; 0 where the list is full.
uint8_t site_index(std::vector<std::vector<uint64_t>>& sites, const std::vector<uint64_t>& site);

// A hash of patterns, arrays and kinds, without origins, over at most `phases` phases (0: all).
uint64_t structure_hash(const Workload& tile, int64_t phases = 0);

// True when a traced tile has the structure of `like` and these origins.
bool same_footprint(const Workload& traced, const Workload& like, const std::vector<int64_t>& origins);

// Collects tiles into one workload with shared patterns.
class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(const Grid& grid) : grid_(grid), tiles_(static_cast<size_t>(grid.size())) {}
  // Accesses with their origins; they name patterns of `like`, which lives as long as the builder.
  void set(int64_t tile, std::vector<Access> accesses, const std::vector<int64_t>& phase_begin, const Workload& like);
  // A tile as it was traced.
  void set(const TracedTile& tile);
  // True when a tile that was set first does what `prefix`, a trace of it, does.
  bool starts_with(const TracedTile& prefix) const;
  Workload finish(const Workload& shape);

 private:
  int32_t intern(const Pattern& pattern);
  // What the patterns and sites of a workload are here.
  struct Translation {
    std::vector<int32_t> patterns;
    std::vector<uint8_t> sites;
  };
  const Translation& translate(const Workload& like);
  struct Tile {
    std::vector<Access> accesses;
    const std::vector<int64_t>* phase_begin = nullptr;
  };
  Grid grid_;
  std::vector<Tile> tiles_;
  std::vector<Pattern> patterns_;
  std::unordered_map<uint64_t, std::vector<int32_t>> by_hash_;
  std::set<std::vector<int64_t>> phase_tables_;  // one copy of each, which tiles point to
  std::vector<std::vector<uint64_t>> sites_ = {{}};
  std::unordered_map<const Workload*, Translation> known_;
};

}  // namespace swizzleperf

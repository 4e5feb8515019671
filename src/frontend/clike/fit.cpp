#include "frontend/clike/fit.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace swizzleperf {
namespace {

using Wide = __int128;
using Matrix = std::vector<std::vector<Wide>>;
constexpr size_t kMaxDimension = 5;  // features beyond the constant: more never helped

// Arithmetic that remembers an overflow: a fit whose figures leave 128 bits is no fit.
class Checked {
 public:
  Wide times(Wide a, Wide b) {
    Wide result = 0;
    overflow_ = __builtin_mul_overflow(a, b, &result) || overflow_;
    return result;
  }
  Wide plus(Wide a, Wide b) {
    Wide result = 0;
    overflow_ = __builtin_add_overflow(a, b, &result) || overflow_;
    return result;
  }
  bool overflow() const { return overflow_; }

 private:
  bool overflow_ = false;
};

uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29U);
}

uint64_t hash_of(const Pattern& pattern) {
  uint64_t hash = 1469598103934665603ULL;
  for (const Segment& segment : pattern.segments) {
    hash = mix(hash, static_cast<uint64_t>(segment.offset));
    hash = mix(hash, static_cast<uint64_t>(segment.bytes) << 32U | static_cast<uint64_t>(segment.repeat));
  }
  return hash;
}

Matrix minor_of(const Matrix& m, size_t row, size_t column) {
  Matrix result;
  for (size_t r = 0; r < m.size(); ++r) {
    if (r == row) continue;
    std::vector<Wide> line;
    for (size_t c = 0; c < m.size(); ++c) {
      if (c != column) line.push_back(m[r][c]);
    }
    result.push_back(std::move(line));
  }
  return result;
}

Wide determinant(const Matrix& m, Checked& checked) {
  if (m.empty()) return 1;
  if (m.size() == 1) return m[0][0];
  Wide sum = 0;
  for (size_t c = 0; c < m.size(); ++c) {
    if (m[0][c] == 0) continue;
    const Wide term = checked.times(m[0][c], determinant(minor_of(m, 0, c), checked));
    sum = checked.plus(sum, c % 2 == 0 ? term : checked.times(term, -1));
  }
  return sum;
}

Matrix adjugate(const Matrix& m, Checked& checked) {
  Matrix result(m.size(), std::vector<Wide>(m.size()));
  for (size_t r = 0; r < m.size(); ++r) {
    for (size_t c = 0; c < m.size(); ++c)
      result[c][r] = checked.times((r + c) % 2 == 0 ? 1 : -1, determinant(minor_of(m, r, c), checked));
  }
  return result;
}

// sum / determinant (positive) as a byte offset, where it is one. Narrow figures, the usual ones, divide many times
// faster.
template <class Integer>
bool divide(Integer sum, Integer determinant, int64_t& origin) {
  if (sum % determinant != 0) return false;
  const Integer quotient = sum / determinant;
  origin = static_cast<int64_t>(quotient);
  return quotient >= 0 && quotient <= INT64_MAX / 2;
}

}  // namespace

FeatureTable::FeatureTable(const Grid& grid) : grid_(grid) {}

void FeatureTable::add_prefixes(const std::vector<TracedTile>& prefixes) {
  if (prefixes.empty()) return;
  // Only accesses that every tile has, in the same order.
  size_t common = SIZE_MAX;
  for (const auto& prefix : prefixes) common = std::min(common, prefix.footprint.accesses.size());
  for (size_t a = 0; a < common && extra_.size() < kMaxDimension; ++a) {
    std::vector<int64_t> values;
    int64_t step = 0;
    for (const auto& prefix : prefixes)
      values.push_back(prefix.footprint.accesses[a].origin - prefixes.front().footprint.accesses[a].origin);
    for (const int64_t value : values) step = std::gcd(step, value);
    if (step == 0) continue;
    for (int64_t& value : values) value /= step;
    if (std::find(extra_.begin(), extra_.end(), values) == extra_.end()) extra_.push_back(std::move(values));
  }
}

std::vector<int64_t> FeatureTable::of(int64_t tile) const {
  const Coordinate at = coordinate(grid_, tile);
  std::vector<int64_t> features = {at.x, at.y, at.z};
  for (const auto& feature : extra_) features.push_back(feature[static_cast<size_t>(tile)]);
  return features;
}

std::vector<int64_t> FeatureTable::choose_basis(const std::vector<int64_t>& tiles) const {
  // Fraction-free elimination: a tile joins when its features, relative to the first tile's, are no combination of
  // those before.
  std::vector<int64_t> basis = {tiles.front()};
  const std::vector<int64_t> base = of(tiles.front());
  std::vector<std::vector<long double>> echelon;
  std::vector<size_t> pivots;
  const size_t most = std::min(kMaxDimension, base.size());
  for (size_t i = 1; i < tiles.size() && echelon.size() < most; ++i) {
    std::vector<int64_t> features = of(tiles[i]);
    std::vector<long double> row(features.size());
    for (size_t k = 0; k < row.size(); ++k) row[k] = static_cast<long double>(features[k] - base[k]);
    for (size_t e = 0; e < echelon.size(); ++e) {
      const long double factor = row[pivots[e]] / echelon[e][pivots[e]];
      for (size_t k = 0; k < row.size(); ++k) row[k] -= factor * echelon[e][k];
    }
    size_t pivot = 0;
    for (size_t k = 1; k < row.size(); ++k) {
      if (std::abs(row[k]) > std::abs(row[pivot])) pivot = k;
    }
    if (std::abs(row[pivot]) < 1e-6L) continue;
    echelon.push_back(std::move(row));
    pivots.push_back(pivot);
    basis.push_back(tiles[i]);
  }
  return basis;
}

std::optional<AffineFit> FeatureTable::fit(const std::vector<int64_t>& basis,
                                           const std::vector<const Workload*>& footprints) const {
  for (const Workload* footprint : footprints) {
    if (structure_hash(*footprint) != structure_hash(*footprints.front())) return std::nullopt;
  }
  AffineFit fit;
  fit.table_ = this;
  fit.basis_ = footprints;
  // Pick features greedily until the matrix [1; features of the basis] is square and regular.
  std::vector<std::vector<int64_t>> features;
  for (const int64_t tile : basis) features.push_back(of(tile));
  const size_t count = features.front().size();
  for (size_t row = 0; row < count && fit.rows_.size() + 1 < basis.size(); ++row) {
    // Independence of the rows chosen so far: some minor of that many columns is regular. Checked on the leading
    // columns in turn.
    std::vector<size_t> candidate = fit.rows_;
    candidate.push_back(row);
    std::vector<std::vector<long double>> rows;
    for (const size_t r : candidate) {
      std::vector<long double> line;
      for (size_t b = 1; b < basis.size(); ++b)
        line.push_back(static_cast<long double>(features[b][r] - features[0][r]));
      rows.push_back(std::move(line));
    }
    size_t rank = 0;
    for (size_t column = 0; column < basis.size() - 1 && rank < rows.size(); ++column) {
      size_t best = rank;
      for (size_t r = rank; r < rows.size(); ++r) {
        if (std::abs(rows[r][column]) > std::abs(rows[best][column])) best = r;
      }
      if (std::abs(rows[best][column]) < 1e-6L) continue;
      std::swap(rows[rank], rows[best]);
      for (size_t r = rank + 1; r < rows.size(); ++r) {
        const long double factor = rows[r][column] / rows[rank][column];
        for (size_t c = column; c < basis.size() - 1; ++c) rows[r][c] -= factor * rows[rank][c];
      }
      ++rank;
    }
    if (rank == candidate.size()) fit.rows_ = candidate;
  }
  if (fit.rows_.size() + 1 != basis.size()) return std::nullopt;
  Matrix matrix(basis.size(), std::vector<Wide>(basis.size(), 1));
  for (size_t b = 0; b < basis.size(); ++b) {
    for (size_t r = 0; r < fit.rows_.size(); ++r) matrix[r + 1][b] = features[b][fit.rows_[r]];
  }
  Checked checked;
  fit.determinant_ = determinant(matrix, checked);
  fit.adjugate_ = adjugate(matrix, checked);
  // Positive, so that no division overflows.
  if (fit.determinant_ < 0) {
    fit.determinant_ = checked.times(fit.determinant_, -1);
    for (auto& line : fit.adjugate_) {
      for (Wide& value : line) value = checked.times(value, -1);
    }
  }
  if (fit.determinant_ == 0 || checked.overflow()) return std::nullopt;
  return fit;
}

std::optional<std::vector<int64_t>> AffineFit::origins(int64_t tile) const {
  const std::vector<int64_t> features = table_->of(tile);
  Checked checked;
  std::vector<Wide> weights;  // lambda * determinant
  for (size_t b = 0; b < basis_.size(); ++b) {
    Wide weight = adjugate_[b][0];
    for (size_t r = 0; r < rows_.size(); ++r)
      weight = checked.plus(weight, checked.times(adjugate_[b][r + 1], features[rows_[r]]));
    weights.push_back(weight);
  }
  std::vector<int64_t> result(basis_.front()->accesses.size());
  for (size_t i = 0; i < result.size(); ++i) {
    Wide sum = 0;
    for (size_t b = 0; b < basis_.size(); ++b)
      sum = checked.plus(sum, checked.times(weights[b], basis_[b]->accesses[i].origin));
    if (checked.overflow()) return std::nullopt;
    const bool narrow = sum >= INT64_MIN && sum <= INT64_MAX && determinant_ <= INT64_MAX;
    const bool whole = narrow ? divide(static_cast<int64_t>(sum), static_cast<int64_t>(determinant_), result[i])
                              : divide(sum, determinant_, result[i]);
    if (!whole) return std::nullopt;
  }
  return result;
}

uint8_t site_index(std::vector<std::vector<uint64_t>>& sites, const std::vector<uint64_t>& site) {
  const auto found = std::find(sites.begin(), sites.end(), site);
  if (found != sites.end()) return static_cast<uint8_t>(found - sites.begin());
  if (sites.size() > std::numeric_limits<uint8_t>::max()) return 0;
  sites.push_back(site);
  return static_cast<uint8_t>(sites.size() - 1);
}

uint64_t structure_hash(const Workload& tile, int64_t phases) {
  const auto last =
      static_cast<size_t>(phases > 0 ? std::min<int64_t>(phases, static_cast<int64_t>(tile.phase_begin.size()) - 1)
                                     : static_cast<int64_t>(tile.phase_begin.size()) - 1);
  uint64_t hash = 1;
  for (size_t p = 0; p < last; ++p) {
    hash = mix(hash, 77);
    for (auto a = static_cast<size_t>(tile.phase_begin[p]); a < static_cast<size_t>(tile.phase_begin[p + 1]); ++a) {
      const Access& access = tile.accesses[a];
      hash = mix(hash, static_cast<uint64_t>(access.array) << 8U | static_cast<uint64_t>(access.kind));
      hash = mix(hash, hash_of(tile.patterns[static_cast<size_t>(access.pattern)]));
    }
  }
  return hash;
}

bool same_footprint(const Workload& traced, const Workload& like, const std::vector<int64_t>& origins) {
  if (traced.accesses.size() != origins.size() || traced.phase_begin != like.phase_begin) return false;
  for (size_t i = 0; i < origins.size(); ++i) {
    const Access& a = traced.accesses[i];
    const Access& b = like.accesses[i];
    if (a.origin != origins[i] || a.array != b.array || a.kind != b.kind) return false;
    if (!(traced.patterns[static_cast<size_t>(a.pattern)] == like.patterns[static_cast<size_t>(b.pattern)]))
      return false;
  }
  return true;
}

int32_t WorkloadBuilder::intern(const Pattern& pattern) {
  auto& bucket = by_hash_[hash_of(pattern)];
  for (const int32_t index : bucket) {
    if (patterns_[static_cast<size_t>(index)] == pattern) return index;
  }
  patterns_.push_back(pattern);
  bucket.push_back(static_cast<int32_t>(patterns_.size()) - 1);
  return bucket.back();
}

const WorkloadBuilder::Translation& WorkloadBuilder::translate(const Workload& like) {
  const auto [found, added] = known_.try_emplace(&like);
  if (added) {
    for (const Pattern& pattern : like.patterns) found->second.patterns.push_back(intern(pattern));
    if (like.sites.empty()) found->second.sites.push_back(0);
    for (const auto& site : like.sites) found->second.sites.push_back(site_index(sites_, site));
  }
  return found->second;
}

void WorkloadBuilder::set(int64_t tile, std::vector<Access> accesses, const std::vector<int64_t>& phase_begin,
                          const Workload& like) {
  const Translation& here = translate(like);
  Tile& target = tiles_[static_cast<size_t>(tile)];
  target.accesses = std::move(accesses);
  for (Access& access : target.accesses) {
    access.pattern = here.patterns[static_cast<size_t>(access.pattern)];
    access.site = here.sites[access.site];
  }
  target.phase_begin = &*phase_tables_.insert(phase_begin).first;
}

void WorkloadBuilder::set(const TracedTile& tile) {
  set(tile.tile, tile.footprint.accesses, tile.footprint.phase_begin, tile.footprint);
  known_.erase(&tile.footprint);  // it lives only as long as the caller's batch: its address may come again
}

bool WorkloadBuilder::starts_with(const TracedTile& prefix) const {
  const Tile& tile = tiles_[static_cast<size_t>(prefix.tile)];
  const Workload& seen = prefix.footprint;
  if (prefix.complete ? seen.phase_begin != *tile.phase_begin
                      : seen.phase_begin.size() > tile.phase_begin->size() ||
                            !std::equal(seen.phase_begin.begin(), seen.phase_begin.end(), tile.phase_begin->begin()))
    return false;
  for (size_t i = 0; i < seen.accesses.size(); ++i) {
    const Access& a = seen.accesses[i];
    const Access& b = tile.accesses[i];
    if (a.origin != b.origin || a.array != b.array) return false;
    // A site that has not come round yet does not show that its load is scalar, so kinds are compared by direction.
    const auto stores = [](AccessKind kind) { return kind == AccessKind::kStore || kind == AccessKind::kAtomic; };
    if (stores(a.kind) != stores(b.kind)) return false;
    if (!(seen.patterns[static_cast<size_t>(a.pattern)] == patterns_[static_cast<size_t>(b.pattern)])) return false;
  }
  return true;
}

Workload WorkloadBuilder::finish(const Workload& shape) {
  Workload workload;
  workload.grid = grid_;
  workload.threads_per_workgroup = shape.threads_per_workgroup;
  workload.arrays = shape.arrays;
  workload.patterns = std::move(patterns_);
  workload.sites = std::move(sites_);
  workload.tile_begin.push_back(0);
  workload.phase_begin.push_back(0);
  for (Tile& tile : tiles_) {
    const auto base = static_cast<int64_t>(workload.accesses.size());
    for (size_t p = 1; p < tile.phase_begin->size(); ++p) workload.phase_begin.push_back(base + (*tile.phase_begin)[p]);
    workload.accesses.insert(workload.accesses.end(), tile.accesses.begin(), tile.accesses.end());
    workload.tile_begin.push_back(static_cast<int64_t>(workload.phase_begin.size()) - 1);
    tile.accesses = {};
  }
  return workload;
}

}  // namespace swizzleperf

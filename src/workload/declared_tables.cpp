#include "workload/declared_tables.h"

namespace swizzleperf::declared {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the i-th number of a seed.
uint64_t random_at(uint64_t seed, uint64_t i) {
  uint64_t x = seed * 0xD1342543DE82EF95ULL + (i + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace

SparseMatrix random_sparse(int64_t rows, int64_t columns, double density, uint64_t seed) {
  constexpr double kRange = 18446744073709551616.0;  // 2^64
  const bool all = density >= 1;
  const auto threshold = all ? 0 : static_cast<uint64_t>(density * kRange);
  SparseMatrix matrix;
  matrix.start.reserve(static_cast<size_t>(rows) + 1);
  matrix.start.push_back(0);
  uint64_t i = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      if (all || random_at(seed, i) < threshold) matrix.column.push_back(column);
      ++i;
    }
    matrix.start.push_back(static_cast<int64_t>(matrix.column.size()));
  }
  return matrix;
}

std::vector<int64_t> random_numbers(int64_t length, int64_t low, int64_t high, uint64_t seed) {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;  // 0: all 64 bits
  std::vector<int64_t> values(static_cast<size_t>(length));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t random = random_at(seed, i);
    // The high half of a product is uniform to 2^-64 * range, and needs no division.
    const auto scaled =
        range == 0 ? random : static_cast<uint64_t>((static_cast<unsigned __int128>(random) * range) >> 64U);
    values[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + scaled);
  }
  return values;
}

}  // namespace swizzleperf::declared

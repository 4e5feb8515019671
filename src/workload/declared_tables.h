// Tables of a declared workload: whole numbers that decide which elements a kernel touches, made by seeded generators.
// Private to src/workload/declared*.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf::declared {

struct Table {
  std::string name;
  std::vector<int64_t> values;
};

// A matrix of rows x columns in compressed rows. Each element is there with probability `density`, independently;
// columns ascend inside a row. `start` has rows + 1 values. Requires 0 <= density <= 1.
struct SparseMatrix {
  std::vector<int64_t> start;
  std::vector<int64_t> column;
};
SparseMatrix random_sparse(int64_t rows, int64_t columns, double density, uint64_t seed);

// `length` whole numbers, each uniform in [low, high]. Value i depends on (seed, i) only.
std::vector<int64_t> random_numbers(int64_t length, int64_t low, int64_t high, uint64_t seed);

}  // namespace swizzleperf::declared

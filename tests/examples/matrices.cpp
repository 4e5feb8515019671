// Products and transposes of matrices.
#include "references.h"

namespace swizzleperf {
namespace {

size_t index(int64_t i) {
  return static_cast<size_t>(i);
}

}  // namespace

Outputs gemm(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n"), k = in.integer("k");
  const auto a = in.buffer("a"), b = in.buffer("b");
  std::vector<double> c(index(m * n), 0.0);
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t column = 0; column < n; ++column)
        c[index(row * n + column)] += a[index(row * k + i)] * b[index(i * n + column)];
    }
  }
  return {c};
}

Outputs transpose(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n");
  const auto matrix = in.buffer("in");
  std::vector<double> out(index(m * n));
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t column = 0; column < n; ++column) out[index(column * m + row)] = matrix[index(row * n + column)];
  }
  return {out};
}

}  // namespace swizzleperf

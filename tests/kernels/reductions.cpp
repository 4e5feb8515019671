// Kernels that fold many elements into few.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "references.h"

namespace swizzleperf {
namespace {

// The rows of the matrix `m`.
std::vector<std::vector<double>> rows_of(const Inputs& in) {
  const auto m = in.buffer("m");
  const auto columns = static_cast<ptrdiff_t>(in.size("columns"));
  std::vector<std::vector<double>> rows;
  for (auto at = m.begin(); at != m.end(); at += columns) rows.emplace_back(at, at + columns);
  return rows;
}

}  // namespace

Outputs row_sums(const Inputs& in) {
  std::vector<double> out;
  for (const auto& row : rows_of(in)) out.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  return {out};
}

Outputs row_maxima(const Inputs& in) {
  std::vector<double> out;
  for (const auto& row : rows_of(in)) out.push_back(*std::max_element(row.begin(), row.end()));
  return {out};
}

Outputs row_softmax(const Inputs& in) {
  std::vector<double> out;
  for (const auto& row : rows_of(in)) {
    double sum = 0;
    for (const double v : row) sum += std::exp(v);
    for (const double v : row) out.push_back(std::exp(v) / sum);
  }
  return {out};
}

Outputs row_rms(const Inputs& in) {
  std::vector<double> out;
  for (const auto& row : rows_of(in)) {
    double sum = 0;
    for (const double v : row) sum += v * v;
    for (const double v : row) out.push_back(v / std::sqrt(sum / static_cast<double>(row.size()) + 1e-5));
  }
  return {out};
}

Outputs row_top_4(const Inputs& in) {
  std::vector<double> out;
  for (auto row : rows_of(in)) {
    std::partial_sort(row.begin(), row.begin() + 4, row.end(), std::greater<>());
    out.insert(out.end(), row.begin(), row.begin() + 4);
  }
  return {out};
}

Outputs counts_of_64(const Inputs& in) {
  std::vector<double> bins(64);
  for (const double v : in.buffer("data")) bins[static_cast<size_t>(v) % 64] += 1;
  return {bins};
}

Outputs sums_and_maxima(const Inputs& in) {
  const auto x = in.buffer("x");
  double sum = 0, squares = 0;
  float largest = 0;
  uint64_t seen = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum += x[i];
    squares += x[i] * x[i];
    largest = std::max(largest, static_cast<float>(std::abs(x[i])));
    seen |= uint64_t{1} << i % 50;
  }
  int32_t bits = 0;
  std::memcpy(&bits, &largest, sizeof bits);
  return {{sum}, {squares}, {static_cast<double>(bits)}, {static_cast<double>(seen)}};
}

Outputs running_sums(const Inputs& in) {
  auto x = in.buffer("in");
  for (size_t i = 0; i < x.size(); ++i) {
    if (i % 256 != 0) x[i] += x[i - 1];
  }
  return {x};
}

}  // namespace swizzleperf

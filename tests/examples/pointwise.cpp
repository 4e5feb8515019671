// Kernels whose elements depend on themselves, their neighbours or their row.
#include <algorithm>
#include <cmath>

#include "references.h"

namespace swizzleperf {
namespace {

size_t index(int64_t i) {
  return static_cast<size_t>(i);
}

}  // namespace

Outputs elementwise(const Inputs& in) {
  const auto x = in.buffer("x"), y = in.buffer("y"), z = in.buffer("z");
  std::vector<double> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) out[i] = std::max(0.0, x[i] * y[i] + z[i]);
  return {out};
}

Outputs layernorm(const Inputs& in) {
  const int64_t columns = in.integer("columns"), rows = in.size("rows");
  const auto x = in.buffer("x"), weight = in.buffer("weight"), bias = in.buffer("bias");
  std::vector<double> y(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const double* line = x.data() + row * columns;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < columns; ++i) mean += line[i] / static_cast<double>(columns);
    for (int64_t i = 0; i < columns; ++i)
      variance += (line[i] - mean) * (line[i] - mean) / static_cast<double>(columns);
    const double deviation = std::sqrt(variance + in.real("epsilon"));
    for (int64_t i = 0; i < columns; ++i)
      y[index(row * columns + i)] = (line[i] - mean) / deviation * weight[index(i)] + bias[index(i)];
  }
  return {y};
}

Outputs softmax(const Inputs& in) {
  const int64_t columns = in.integer("columns"), rows = in.size("rows");
  const auto x = in.buffer("x");
  std::vector<double> y(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const double* line = x.data() + row * columns;
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += std::exp(line[i]);
    for (int64_t i = 0; i < columns; ++i) y[index(row * columns + i)] = std::exp(line[i]) / sum;
  }
  return {y};
}

Outputs black_scholes(const Inputs& in) {
  const auto s = in.buffer("s"), v = in.buffer("v");
  const double ds = in.real("ds"), dt = in.real("dt"), rate = in.real("rate"), sigma = in.real("sigma");
  std::vector<double> out = v;
  for (size_t i = 1; i + 1 < v.size(); ++i) {
    const double first = (v[i + 1] - v[i - 1]) / (2 * ds), second = (v[i + 1] - 2 * v[i] + v[i - 1]) / (ds * ds);
    out[i] = v[i] + dt * (0.5 * sigma * sigma * s[i] * s[i] * second + rate * s[i] * first - rate * v[i]);
  }
  return {out};
}

Outputs stencil(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n");
  const auto field = in.buffer("in");
  const auto at = [&](int64_t row, int64_t column) {
    return row < 0 || row >= m || column < 0 || column >= n ? 0.0 : field[index(row * n + column)];
  };
  std::vector<double> out(field.size());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j)
      out[index(i * n + j)] = 0.5 * at(i, j) + 0.125 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1));
  }
  return {out};
}

Outputs stencil3d(const Inputs& in) {
  const int64_t nx = in.integer("nx"), ny = in.integer("ny"), nz = in.integer("nz");
  const auto field = in.buffer("in");
  const auto at = [&](int64_t x, int64_t y, int64_t z) {
    return x < 0 || x >= nx || y < 0 || y >= ny || z < 0 || z >= nz ? 0.0 : field[index((z * ny + y) * nx + x)];
  };
  std::vector<double> out;
  for (int64_t z = 0; z < nz; ++z) {
    for (int64_t y = 0; y < ny; ++y) {
      for (int64_t x = 0; x < nx; ++x)
        out.push_back(0.4 * at(x, y, z) + 0.1 * (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
                                                 at(x, y, z - 1) + at(x, y, z + 1)));
    }
  }
  return {out};
}

Outputs histogram(const Inputs& in) {
  std::vector<double> bins(256, 0.0);
  for (const double value : in.buffer("data")) bins[static_cast<size_t>(value)] += 1;
  return {bins};
}

Outputs fdtd_hz(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n");
  const auto ex = in.buffer("ex"), ey = in.buffer("ey");
  auto hz = in.buffer("hz");
  for (int64_t i = 0; i + 1 < m; ++i) {
    for (int64_t j = 0; j + 1 < n; ++j)
      hz[index(i * n + j)] -=
          0.7 * (ex[index(i * n + j + 1)] - ex[index(i * n + j)] + ey[index((i + 1) * n + j)] - ey[index(i * n + j)]);
  }
  return {hz};
}

Outputs fdtd_ex(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n");
  const auto hz = in.buffer("hz");
  auto ex = in.buffer("ex");
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 1; j < n; ++j) ex[index(i * n + j)] -= 0.5 * (hz[index(i * n + j)] - hz[index(i * n + j - 1)]);
  }
  return {ex};
}

Outputs fdtd_ey(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n");
  const auto hz = in.buffer("hz");
  auto ey = in.buffer("ey");
  for (int64_t i = 1; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) ey[index(i * n + j)] -= 0.5 * (hz[index(i * n + j)] - hz[index((i - 1) * n + j)]);
  }
  return {ey};
}

}  // namespace swizzleperf

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

Outputs matrix_gemm(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n"), k = in.integer("k");
  const auto a = in.buffer("a"), b = in.buffer("b");
  std::vector<double> c(index(m * n), 0.0);
  for (int64_t at = 0; at < m * n; ++at) {
    for (int64_t i = 0; i < k; ++i) c[index(at)] += a[index(at / n * k + i)] * b[index(at % n * k + i)];
  }
  return {c};
}

Outputs batched_gemm(const Inputs& in) {
  const int64_t m = in.integer("m"), n = in.integer("n"), k = in.integer("k"), batch = in.size("batch");
  const auto a = in.buffer("a"), b = in.buffer("b");
  std::vector<double> c(index(batch * m * n), 0.0);
  for (int64_t z = 0; z < batch; ++z) {
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t i = 0; i < k; ++i) {
        for (int64_t column = 0; column < n; ++column)
          c[index((z * m + row) * n + column)] += a[index((z * m + row) * k + i)] * b[index((z * k + i) * n + column)];
      }
    }
  }
  return {c};
}

Outputs conv2d(const Inputs& in) {
  const int64_t height = in.integer("height"), width = in.integer("width"), channels = in.integer("channels"),
                filters = in.integer("filters"), images = in.size("images");
  const auto pixels = in.buffer("in"), filter = in.buffer("filter");
  std::vector<double> out(index(images * height * width * filters), 0.0);
  for (int64_t z = 0; z < images; ++z) {
    for (int64_t at = 0; at < height * width; ++at) {
      double* to = out.data() + (z * height * width + at) * filters;
      for (int64_t tap = 0; tap < 9; ++tap) {
        const int64_t row = at / width + tap / 3 - 1, column = at % width + tap % 3 - 1;
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        for (int64_t c = 0; c < channels; ++c) {
          const double value = pixels[index(((z * height + row) * width + column) * channels + c)];
          for (int64_t f = 0; f < filters; ++f) to[f] += value * filter[index((tap * channels + c) * filters + f)];
        }
      }
    }
  }
  return {out};
}

Outputs spmv(const Inputs& in) {
  const auto begin = in.buffer("row_begin"), columns = in.buffer("columns"), values = in.buffer("values"),
             x = in.buffer("x");
  std::vector<double> y(index(in.integer("rows")), 0.0);
  for (size_t row = 0; row < y.size(); ++row) {
    for (auto i = static_cast<size_t>(begin[row]); i < static_cast<size_t>(begin[row + 1]); ++i)
      y[row] += values[i] * x[static_cast<size_t>(columns[i])];
  }
  return {y};
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

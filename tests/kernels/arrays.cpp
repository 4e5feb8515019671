// Kernels whose elements depend on a few others at known places.
#include <algorithm>
#include <cmath>

#include "references.h"

namespace swizzleperf {
namespace {

Outputs gemm(const Inputs& in, double factor) {
  const auto a = in.buffer("a"), b = in.buffer("b");
  const auto rows = static_cast<size_t>(in.size("M")), columns = static_cast<size_t>(in.size("N")),
             depth = static_cast<size_t>(in.size("K"));
  std::vector<double> c(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < depth; ++k) {
      for (size_t j = 0; j < columns; ++j) c[i * columns + j] += factor * a[i * depth + k] * b[k * columns + j];
    }
  }
  return {c};
}

}  // namespace

Outputs gemm_once(const Inputs& in) {
  return gemm(in, 1);
}

Outputs gemm_twice(const Inputs& in) {
  return gemm(in, 2);
}

Outputs saxpy(const Inputs& in) {
  const auto x = in.buffer("x");
  auto y = in.buffer("y");
  for (size_t i = 0; i < y.size(); ++i) y[i] += in.real("a") * x[i];
  return {y};
}

Outputs added(const Inputs& in) {
  auto a = in.buffer("a");
  const auto b = in.buffer("b");
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return {a};
}

Outputs add_transposed(const Inputs& in) {
  auto a = in.buffer("a");
  const auto b = in.buffer("b");
  const auto rows = static_cast<size_t>(in.size("rows")), columns = static_cast<size_t>(in.size("columns"));
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) a[i * columns + j] += b[j * rows + i];
  }
  return {a};
}

Outputs scale_rows(const Inputs& in) {
  auto m = in.buffer("m");
  const auto columns = static_cast<size_t>(in.size("columns"));
  for (size_t i = 0; i < m.size(); ++i) m[i] *= static_cast<double>(i / columns);
  return {m};
}

Outputs smooth(const Inputs& in) {
  const auto field = in.buffer("in");
  const size_t plane = static_cast<size_t>(in.size("nx") * in.size("ny"));
  std::vector<double> out(field.size());
  for (size_t i = 0; i < field.size(); ++i) {
    const double below = i >= plane ? field[i - plane] : field[i];
    const double above = i + plane < field.size() ? field[i + plane] : field[i];
    out[i] = 0.25 * below + 0.5 * field[i] + 0.25 * above;
  }
  return {out};
}

Outputs scaled(const Inputs& in) {
  auto x = in.buffer("in");
  for (double& v : x) v *= in.real("factor");
  return {x};
}

Outputs axpy_halves(const Inputs& in) {
  const auto x = in.buffer("x");
  auto y = in.buffer("y");
  std::vector<double> largest((y.size() + 1) / 2);
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] = static_cast<double>(static_cast<_Float16>(in.real("a") * x[i] + y[i]));
    largest[i / 2] = std::max(largest[i / 2], std::abs(y[i]));
  }
  return {y, largest};
}

Outputs activated(const Inputs& in) {
  auto x = in.buffer("x");
  for (size_t i = 0; i < x.size(); ++i) {
    const double v = 4 * x[i];
    const size_t choice = i / 64 % 3;
    const double y = choice == 0   ? std::max(v, 0.0)
                     : choice == 1 ? 0.5 * v * (1 + std::erf(v / std::sqrt(2.0)))
                                   : v / (1 + std::exp(-v));
    x[i] = std::clamp(y, -0.5, 3.0);
  }
  return {x};
}

Outputs gathered(const Inputs& in) {
  const auto index = in.buffer("index"), table = in.buffer("table");
  std::vector<double> out;
  for (const double at : index) out.push_back(table.at(static_cast<size_t>(at)));
  return {out};
}

Outputs blurred(const Inputs& in) {
  constexpr double kWeights[] = {0.0625, 0.25, 0.375, 0.25, 0.0625};
  const auto image = in.buffer("in");
  const int64_t width = in.size("width"), height = in.size("height");
  std::vector<double> out;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      double sum = 0;
      for (int64_t j = -2; j <= 2; ++j) {
        for (int64_t i = -2; i <= 2; ++i) {
          const int64_t at =
              std::clamp<int64_t>(y + j, 0, height - 1) * width + std::clamp<int64_t>(x + i, 0, width - 1);
          sum += kWeights[i + 2] * kWeights[j + 2] * image[static_cast<size_t>(at)];
        }
      }
      out.push_back(sum);
    }
  }
  return {out};
}

Outputs turned(const Inputs& in) {
  auto p = in.buffer("in");
  const double s = std::sin(in.real("angle")), c = std::cos(in.real("angle"));
  for (size_t i = 0; i < p.size(); i += 3) {
    const double x = p[i], y = p[i + 1];
    p[i] = c * x - s * y;
    p[i + 1] = s * x + c * y;
    p[i + 2] = std::tanh(p[i + 2]);
  }
  return {p};
}

}  // namespace swizzleperf

// A case evaluated for one variant.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "base/nearest.h"
#include "workload/case_text.h"
#include "workload/fill.h"
#include "workload/npy.h"

namespace swizzleperf {
namespace {

constexpr int64_t kMaxWarps = 32;        // Triton's own limit: 1024 threads of 32
constexpr int64_t kMaxRegisters = 1024;  // 255 on NVIDIA, 512 on CDNA

Expected<int64_t> evaluate(const Expression& expression, const Sizes& sizes) {
  auto value = evaluate_expression(expression.text, sizes, "'" + expression.text + "'");
  if (value) return value;
  // The place in the case file, not inside the expression.
  Error error = value.error();
  error.message = fmt::format("in '{}': {}", expression.text, error.message);
  error.place = expression.place;
  return tl::unexpected(std::move(error));
}

Expected<Grid> evaluate_axes(const std::vector<Expression>& list, const Sizes& sizes, const char* what, int64_t limit) {
  std::array<int64_t, 3> axes = {1, 1, 1};
  for (size_t i = 0; i < list.size(); ++i) {
    const auto value = evaluate(list[i], sizes);
    if (!value) return tl::unexpected(value.error());
    axes.at(i) = *value;
  }
  auto grid = make_grid(axes[0], axes[1], axes[2]);
  if (!grid) {
    Error error = grid.error();
    error.message = std::string(what) + ": " + error.message;
    error.place = list.front().place;
    return tl::unexpected(std::move(error));
  }
  if (grid->size() > limit)
    return user_error(fmt::format("{} has {} elements: at most {} are allowed", what, grid->size(), limit),
                      list.front().place);
  return grid;
}

// An argument's or field's value, which its type must hold. A floating scalar may be given as infinite or NaN, but a
// number must not become infinite.
Expected<void> evaluate_scalar(const ScalarText& text, DType dtype, const std::string& name, const Sizes& sizes,
                               int64_t& integer, double& real) {
  if (text.real) {
    real = *text.real;
  } else {
    const auto value = evaluate(text.value, sizes);
    if (!value) return tl::unexpected(value.error());
    integer = *value;
    real = static_cast<double>(*value);
  }
  const bool holds = is_floating(dtype) ? !std::isfinite(real) || std::abs(real) <= largest_number(dtype)
                                        : integer >= smallest_integer(dtype) && integer <= largest_integer(dtype);
  if (holds) return {};
  return user_error(
      fmt::format("the value of '{}' is {}: {} does not hold it", name,
                  is_floating(dtype) ? fmt::format("{}", real) : std::to_string(integer), to_string(dtype)),
      text.value.place);
}

// A struct's bytes as C++ lays them out: each field aligned to its size, the whole to the largest of them.
Expected<std::string> pack(const ArgumentText& text, const Sizes& sizes) {
  std::string bytes;
  size_t alignment = 1;
  const auto pad = [&](size_t to) { bytes.resize((bytes.size() + to - 1) / to * to, '\0'); };
  for (const FieldText& field : text.fields) {
    int64_t integer = 0;
    double real = 0;
    if (auto status = evaluate_scalar(field.scalar, field.dtype, text.name + "." + field.name, sizes, integer, real);
        !status)
      return tl::unexpected(status.error());
    const auto size = static_cast<size_t>(size_of(field.dtype));
    alignment = std::max(alignment, size);
    pad(size);
    bytes += scalar_bytes(field.dtype, integer, real);
  }
  pad(alignment);
  return bytes;
}

// Contents that count up must be values of the type, too.
Expected<void> check_iota(const Argument& argument, const ArgumentText& text) {
  const int64_t last = argument.elements - 1;
  const bool holds = is_floating(argument.dtype) ? static_cast<double>(last) <= largest_number(argument.dtype)
                                                 : last <= largest_integer(argument.dtype);
  if (argument.init.kind != Init::Kind::kIota || holds) return {};
  return user_error(fmt::format("'{}' counts up to {}: {} does not hold it", text.name, last, to_string(text.dtype)),
                    text.place);
}

Expected<Argument> evaluate_argument(const ArgumentText& text, const Sizes& sizes) {
  Argument argument{.name = text.name,
                    .dtype = text.dtype,
                    .buffer = text.buffer,
                    .init = text.init,
                    .output = text.output,
                    .poisoned = text.poisoned,
                    .tolerance = text.tolerance};
  if (!text.fields.empty()) {
    auto bytes = pack(text, sizes);
    if (!bytes) return tl::unexpected(bytes.error());
    argument.bytes = std::move(*bytes);
    return argument;
  }
  if (!text.buffer) {
    if (auto status = evaluate_scalar(text.scalar, text.dtype, text.name, sizes, argument.integer, argument.real);
        !status)
      return tl::unexpected(status.error());
    return argument;
  }
  argument.elements = 1;
  for (const Expression& axis : text.shape) {
    const auto extent = evaluate(axis, sizes);
    if (!extent) return tl::unexpected(extent.error());
    if (*extent < 1 || *extent > kMaxBufferBytes / size_of(text.dtype) / argument.elements) {
      return user_error(
          fmt::format("argument '{}': extent {} is below 1 or makes the buffer larger than 1 TiB", text.name, *extent),
          axis.place);
    }
    argument.shape.push_back(*extent);
    argument.elements *= *extent;
  }
  if (auto status = check_iota(argument, text); !status) return tl::unexpected(status.error());
  if (argument.init.kind == Init::Kind::kNpy) {
    if (auto status = check_npy(argument.init.file, to_string(argument.dtype), argument.shape); !status)
      return tl::unexpected(status.error());
  }
  return argument;
}

}  // namespace

Expected<CaseInstance> Case::instance(const std::string& variant, const Sizes& overrides) const {
  const auto chosen = text->variants.find(variant);
  if (chosen == text->variants.end()) {
    return user_error(fmt::format("the case has no variant '{}'", variant), {text->file},
                      known_names(variant, variants));
  }
  CaseInstance result;
  result.variant = variant;
  for (const auto& [size, value] : overrides) {
    const auto named = [&](const auto& entry) { return entry.first == size; };
    if (std::none_of(chosen->second.begin(), chosen->second.end(), named) &&
        std::none_of(text->sizes.begin(), text->sizes.end(), named))
      return user_error(fmt::format("the case has no size '{}' in its variant '{}'", size, variant), {text->file});
    result.variant += fmt::format(", {}={}", size, value);
  }
  result.sizes = overrides;
  for (const auto* list : {&chosen->second, &text->sizes}) {
    for (const auto& [size, expression] : *list) {
      const auto value = evaluate(expression, result.sizes);
      if (!value) return tl::unexpected(value.error());
      result.sizes.emplace(size, *value);  // an override wins over the variant's own figure, that over the common one
    }
  }
  auto grid = evaluate_axes(text->grid, result.sizes, "the grid", (int64_t{1} << 31) - 1);
  if (!grid) return tl::unexpected(grid.error());
  result.grid = *grid;
  if (!text->block.empty()) {
    auto block = evaluate_axes(text->block, result.sizes, "the block", kMaxThreads);
    if (!block) return tl::unexpected(block.error());
    result.block = *block;
  }
  const auto figure = [&](const std::optional<Expression>& expression, int64_t low, int64_t high,
                          const char* what) -> Expected<int64_t> {
    const auto value = evaluate(*expression, result.sizes);
    if (value && (*value < low || *value > high))
      return user_error(fmt::format("{} is {}: it must be from {} to {}", what, *value, low, high), expression->place);
    return value;
  };
  if (text->warps) {
    const auto value = figure(text->warps, 1, kMaxWarps, "'warps'");
    if (!value) return tl::unexpected(value.error());
    result.warps = *value;
  }
  for (const auto& [arch, figures] : text->compiled) {
    CompiledFigures& to = result.compiled[arch];
    to.warps = result.warps;
    const std::tuple<const std::optional<Expression>&, int64_t, int64_t, int64_t&> parts[] = {
        {figures.warps, 1, kMaxWarps, to.warps},
        {figures.shared, 0, int64_t{1} << 20, to.shared_bytes},
        {figures.registers, 0, kMaxRegisters, to.registers}};
    for (const auto& [expression, low, high, target] : parts) {
      if (!expression) continue;
      const auto value = figure(expression, low, high, ("a figure of [compiled." + arch + "]").c_str());
      if (!value) return tl::unexpected(value.error());
      target = *value;
    }
  }
  if (text->shared) {
    const auto value = figure(text->shared, 0, int64_t{1} << 20, "'shared'");
    if (!value) return tl::unexpected(value.error());
    result.shared_bytes = *value;
  }
  if (text->occupancy) {
    const auto value = figure(text->occupancy, 1, 64, "'occupancy'");
    if (!value) return tl::unexpected(value.error());
    result.occupancy = *value;
    result.occupancy_source = text->occupancy_source;
  }
  if (text->flops) {
    const auto value = figure(text->flops, 0, INT64_MAX, "'flops'");
    if (!value) return tl::unexpected(value.error());
    result.flops = static_cast<double>(*value);
  }
  result.flops_dtype = text->flops_dtype;
  result.flops_matrix = text->flops_matrix;
  for (const ArgumentText& argument : text->arguments) {
    auto evaluated = evaluate_argument(argument, result.sizes);
    if (!evaluated) return tl::unexpected(evaluated.error());
    result.arguments.push_back(std::move(*evaluated));
  }
  return result;
}

}  // namespace swizzleperf

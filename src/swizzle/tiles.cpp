// Whole grids and single expressions: what the rest of the program asks the evaluator for.
#include <fmt/format.h>

#include <algorithm>

#include "swizzle/evaluate.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace {

// The tile of each lane, or -1, from the results of a block; each axis is judged by itself.
void store_tiles(const detail::Evaluator& evaluator, const detail::Program& program, const Grid& grid, int64_t count,
                 int32_t* out) {
  if (program.linear_result) {
    const int64_t* pid = evaluator.values(program.results[0]);
    const int64_t size = grid.size();
    for (int64_t i = 0; i < count; ++i) out[i] = pid[i] >= 0 && pid[i] < size ? static_cast<int32_t>(pid[i]) : -1;
    return;
  }
  const int64_t* x = evaluator.values(program.results[0]);
  const int64_t* y = program.result_axes > 1 ? evaluator.values(program.results[1]) : nullptr;
  const int64_t* z = program.result_axes > 2 ? evaluator.values(program.results[2]) : nullptr;
  for (int64_t i = 0; i < count; ++i) {
    const Coordinate at{x[i], y == nullptr ? 0 : y[i], z == nullptr ? 0 : z[i]};
    const bool inside = at.x >= 0 && at.x < grid.x && at.y >= 0 && at.y < grid.y && at.z >= 0 && at.z < grid.z;
    out[i] = inside ? static_cast<int32_t>(linear(grid, at)) : -1;
  }
}

}  // namespace

Expected<std::vector<int32_t>> evaluate_map(const SwizzleExpr& expr, const Grid& grid, const Sizes& sizes) {
  const detail::Program& program = expr.program();
  if (!program.linear_result && program.result_axes < grid.axes()) {
    return user_error(fmt::format("the grid {} has {} axes, but the map assigns only {}", to_string(grid), grid.axes(),
                                  program.result_axes == 1 ? "pid_x" : "pid_x and pid_y"),
                      {program.file_name}, "assign every axis, or pid (the linear tile id)");
  }
  auto evaluator = detail::Evaluator::create(program, grid, sizes);
  if (!evaluator) return tl::unexpected(evaluator.error());
  const int64_t size = grid.size();
  std::vector<int32_t> tiles(static_cast<size_t>(size));
  for (int64_t first = 0; first < size; first += detail::Evaluator::kBlock) {
    const int64_t count = std::min(detail::Evaluator::kBlock, size - first);
    if (auto status = evaluator->run(first, count); !status) return tl::unexpected(status.error());
    store_tiles(*evaluator, program, grid, count, tiles.data() + first);
  }
  return tiles;
}

Expected<int64_t> evaluate_expression(std::string_view text, const Sizes& sizes, std::string_view file_name) {
  const auto program = detail::parse_expression_program(text, file_name);
  if (!program) return tl::unexpected(program.error());
  for (const detail::Operation& operation : program->operations) {
    if (operation.op != detail::Op::kInput) continue;
    const std::string& name = program->inputs[static_cast<size_t>(operation.input)];
    if (detail::input_of(name) != detail::Input::kOutside) {
      return user_error(fmt::format("'{}' has no value here", name),
                        {std::string(file_name), operation.line, operation.column});
    }
  }
  auto evaluator = detail::Evaluator::create(*program, Grid{}, sizes);
  if (!evaluator) return tl::unexpected(evaluator.error());
  if (auto status = evaluator->run(0, 1); !status) {
    // There is only one evaluation here: the workgroup that the fault names means nothing to the reader.
    Error error = status.error();
    error.message = error.message.substr(0, error.message.find(" for workgroup"));
    return tl::unexpected(std::move(error));
  }
  return evaluator->values(program->results[0])[0];
}

}  // namespace swizzleperf

// SwizzleExpr and the exhaustive prover.
#include <fmt/format.h>

#include <algorithm>

#include "swizzle/format.h"
#include "swizzle/grammar.h"
#include "swizzle/program.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {

Expected<SwizzleExpr> SwizzleExpr::parse(std::string_view text, std::string_view file_name) {
  auto program = detail::parse_map_program(text, file_name);
  if (!program) return tl::unexpected(program.error());
  detail::ProgramText normal = detail::format_program(*program);
  if (normal.nesting > detail::kMaxNesting || normal.text.size() > detail::kMaxText) {
    return user_error(
        fmt::format("printed in full, the map nests {} levels in {} bytes of text, more than {} levels or "
                    "{} bytes",
                    normal.nesting, normal.text.size(), detail::kMaxNesting, detail::kMaxText),
        {std::string(file_name)});
  }
  program->text = std::move(normal.text);
  program->sorted_inputs = program->inputs;
  std::sort(program->sorted_inputs.begin(), program->sorted_inputs.end());
  return SwizzleExpr(std::make_shared<const detail::Program>(std::move(*program)));
}

const std::string& SwizzleExpr::text() const {
  return program_->text;
}
const std::vector<std::string>& SwizzleExpr::free_names() const {
  return program_->sorted_inputs;
}
int SwizzleExpr::result_axes() const {
  return program_->result_axes;
}
int SwizzleExpr::operation_count() const {
  return program_->operation_count;
}

MapReport inspect_map(const Grid& grid, const std::vector<int32_t>& tiles) {
  constexpr size_t kExamples = 8;
  const auto add = [](std::vector<int64_t>& examples, int64_t id) {
    if (examples.size() < kExamples) examples.push_back(id);
  };
  MapReport report;
  report.grid = grid;
  report.identity = true;
  std::vector<bool> taken(tiles.size());
  for (size_t w = 0; w < tiles.size(); ++w) {
    report.identity = report.identity && tiles[w] == static_cast<int32_t>(w);
    if (tiles[w] < 0) {
      ++report.out_of_range;
      add(report.out_of_range_examples, static_cast<int64_t>(w));
    } else if (taken[static_cast<size_t>(tiles[w])]) {
      ++report.duplicated;
      add(report.duplicated_examples, static_cast<int64_t>(w));
    } else {
      taken[static_cast<size_t>(tiles[w])] = true;
      ++report.distinct;
    }
  }
  report.missing = static_cast<int64_t>(tiles.size()) - report.distinct;
  for (size_t t = 0; t < taken.size() && report.missing > 0 && report.lost_examples.size() < kExamples; ++t) {
    if (!taken[t]) add(report.lost_examples, static_cast<int64_t>(t));
  }
  report.bijective = report.missing == 0;
  return report;
}

Expected<std::variant<Swizzle, MapReport>> prove(const SwizzleExpr& expr, const Grid& grid, const Sizes& sizes) {
  auto tiles = evaluate_map(expr, grid, sizes);
  if (!tiles) return tl::unexpected(tiles.error());
  MapReport report = inspect_map(grid, *tiles);
  if (!report.bijective) return report;
  return Swizzle(expr, grid, sizes, std::move(*tiles), report.identity);
}

}  // namespace swizzleperf

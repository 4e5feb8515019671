#include "model/line_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/engine.h"
#include "model/line_stream.h"
#include "model/set_index.h"

namespace swizzleperf {

struct LineModel::State {
  GpuSpec gpu;
  LineStream lines;
  LineKernel kernel = LineKernel::kBest;
};

LineModel::LineModel(std::unique_ptr<const State> state) : state_(std::move(state)) {}
LineModel::LineModel(LineModel&&) noexcept = default;
LineModel& LineModel::operator=(LineModel&&) noexcept = default;
LineModel::~LineModel() = default;

Expected<LineModel> LineModel::create(const Workload& workload, const GpuSpec& gpu, LineKernel kernel) {
  auto lines = build_lines(workload, gpu);
  if (!lines) return tl::unexpected(lines.error());
  return LineModel(std::make_unique<const State>(State{gpu, std::move(*lines), kernel}));
}

Counts LineModel::simulate(const Order& order, int64_t occupancy) const {
  const State& s = *state_;
  return s.gpu.dispatch == Dispatch::kRoundRobin ? simulate_domains(s.lines, s.gpu, occupancy, order, s.kernel)
                                                 : simulate_sides(s.lines.objects, s.gpu, occupancy, order);
}

namespace {

// An access of few lines can crowd nothing.
constexpr size_t kFewLines = 16;

// The lines of an access that begins at the start of an array. Where it begins moves them all alike.
std::set<int64_t> lines_of(const Pattern& pattern, int64_t line_bytes) {
  std::set<int64_t> lines;
  int64_t least = 0;
  for (const Segment& segment : pattern.segments) least = std::min(least, segment.offset);
  for (const Segment& segment : pattern.segments) {
    const int64_t begin = segment.offset - least;
    for (int64_t line = begin / line_bytes; line <= (begin + segment.bytes - 1) / line_bytes; ++line)
      lines.insert(line);
  }
  return lines;
}

// How an access's lines lie in the L2.
struct Spread {
  size_t lines = 0;
  size_t lists = 0;     // that they lie on: channels
  size_t sets = 0;      // that they lie in
  size_t possible = 0;  // sets that as many lines could lie in on the same channels
};

Spread spread_of(const std::set<int64_t>& lines, const SetShape& shape) {
  std::set<int64_t> channels, sets;
  for (const int64_t line : lines) {
    const int64_t set = set_of(shape, line);
    sets.insert(set);
    channels.insert(set / shape.sets);
  }
  return {lines.size(), channels.size(), sets.size(),
          std::min(lines.size(), channels.size() * static_cast<size_t>(shape.sets))};
}

}  // namespace

std::optional<std::string> doubt_about_objects(const Workload& workload, const GpuSpec& gpu) {
  const int64_t line_bytes = gpu.dispatch == Dispatch::kSingleQueue ? gpu.load_request_bytes : gpu.l2.line_bytes;
  const SetShape shape = set_shape(gpu.l2, sides_of(gpu).bytes, line_bytes);
  const auto list_lines = static_cast<size_t>(shape.sets * shape.ways);
  for (const Pattern& pattern : workload.patterns) {
    const Spread spread = spread_of(lines_of(pattern, line_bytes), shape);
    if (spread.lines < kFewLines) continue;
    if (2 * spread.sets <= spread.possible)
      return fmt::format("the {} lines of one access lie in {} of the L2's sets, where {} are possible", spread.lines,
                         spread.sets, spread.possible);
    if (4 * spread.lines > list_lines * spread.lists)
      return fmt::format("the {} lines of one access fill more than a quarter of the {} L2 channels they lie in",
                         spread.lines, spread.lists);
  }
  return std::nullopt;
}

}  // namespace swizzleperf

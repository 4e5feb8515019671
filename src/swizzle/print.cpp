#include "swizzle/print.h"

#include <algorithm>
#include <bit>

#include "swizzle/print_parts.h"

namespace swizzleperf {
namespace detail {
namespace {

// The longest loop of a curve's helper for a rectangle with such sides: both are at least halved, turn by turn;
// Morton's squares are halved once a step.
int curve_steps(const Operation& operation, const std::vector<RegisterRange>& ranges) {
  const int64_t side =
      std::max(ranges[static_cast<size_t>(operation.b)].high, ranges[static_cast<size_t>(operation.c)].high);
  const auto halvings = static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(side, 1))));
  return operation.op == Op::kHilbertX || operation.op == Op::kHilbertY ? 2 * halvings : halvings;
}

}  // namespace

bool is_launch_name(const std::string& name) {
  return input_of(name) != Input::kOutside;
}

bool uses_call(const Program& program, const std::string& name) {
  return std::any_of(program.nodes.begin(), program.nodes.end(),
                     [&](const Node& node) { return node.kind == Node::Kind::kCall && node.text == name; });
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string indented(const std::string& text, const std::string& indent) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) result += indent + text.substr(begin, end - begin);
    result += "\n";
    begin = end + 1;
  }
  return result;
}

std::set<std::string> needed_launch_values(const Program& program) {
  std::set<std::string> needed;
  for (const std::string& name : program.inputs) {
    if (is_launch_name(name)) needed.insert(name);
  }
  if (needed.count("wg") > 0) needed.insert({"wg_x", "wg_y", "wg_z", "grid_x", "grid_y"});
  if (needed.count("num_wgs") > 0) needed.insert({"grid_x", "grid_y", "grid_z"});
  if (program.linear_result) needed.insert({"grid_x", "grid_y"});
  return needed;
}

int operation_count(const Printing& map) {
  constexpr int kHilbertStep = 40, kMortonStep = 30;  // operations of one pass of the printed loops, at most
  const Program& program = map.program();
  const std::set<std::string> needed = needed_launch_values(program);
  int count = program.operation_count;
  if (needed.count("num_wgs") > 0) count += 2;
  if (needed.count("wg") > 0) count += 4;
  if (program.linear_result) count += 5;  // pid % grid_x, pid / grid_x % grid_y, pid / grid_x / grid_y
  count += map.options.guarded ? 6 * static_cast<int>(map.grids.size()) - 1 : 3;
  for (const Operation& operation : program.operations) {
    const bool hilbert = operation.op == Op::kHilbertX || operation.op == Op::kHilbertY;
    const bool morton = operation.op == Op::kMortonX || operation.op == Op::kMortonY;
    if (hilbert || morton) count += curve_steps(operation, map.ranges) * (hilbert ? kHilbertStep : kMortonStep);
  }
  return count;
}

}  // namespace detail

namespace {

using detail::Printing;

Expected<void> analyse_guarded(Printing& map) {
  map.grids = {map.swizzle.grid()};
  for (const Grid& grid : map.options.guard_grids) {
    if (std::find(map.grids.begin(), map.grids.end(), grid) == map.grids.end()) map.grids.push_back(grid);
  }
  auto ranges = detail::exact_ranges(map.program(), map.grids, map.swizzle.sizes());
  if (!ranges) return tl::unexpected(ranges.error());
  map.ranges = std::move(*ranges);
  int64_t most = 0;
  for (const Grid& grid : map.grids) most = std::max(most, grid.size());
  map.narrow = detail::fits_32_bits(map.program(), map.ranges, most);
  return {};
}

// The largest power-of-two bound on the number of workgroups for which 32 bits are proven sufficient; where that leaves
// out grids of a size that is used, 64 bits.
Expected<void> analyse_unguarded(Printing& map) {
  constexpr int64_t kAllGrids = (int64_t{1} << 31) - 1;
  constexpr int64_t kSmallest = int64_t{1} << 22;
  const int64_t smallest = std::max(kSmallest, map.swizzle.grid().size());
  const Sizes& sizes = map.swizzle.sizes();
  for (int64_t most = kAllGrids; most >= smallest; most = most == kAllGrids ? (most + 1) / 2 : most / 2) {
    map.ranges = detail::enclosing_ranges(map.program(), most, sizes);
    map.most = most;
    map.narrow = detail::fits_32_bits(map.program(), map.ranges, most);
    if (map.narrow) return {};
  }
  map.most = kAllGrids;
  map.ranges = detail::enclosing_ranges(map.program(), kAllGrids, sizes);
  if (detail::fits_64_bits(map.ranges)) return {};
  return unsupported("the map's arithmetic may leave 64 bits on other grids: it cannot be printed without a guard",
                     {map.program().file_name});
}

}  // namespace

Expected<PrintedMap> print_map(const Swizzle& swizzle, Target target, const PrintOptions& options) {
  Printing map{.swizzle = swizzle, .options = options};
  for (const auto& assignment : swizzle.expr().program().assignments) map.assigned.insert(assignment.name);
  const auto status = options.guarded ? analyse_guarded(map) : analyse_unguarded(map);
  if (!status) return tl::unexpected(status.error());
  PrintedMap printed;
  switch (target) {
    case Target::kLanguage:
      printed.body = swizzle.expr().text();
      break;
    case Target::kC:
      printed = detail::print_c(map);
      break;
    case Target::kHip:
    case Target::kCuda:
      printed = detail::print_device(map);
      break;
    case Target::kTriton:
      printed = detail::print_triton(map);
      break;
  }
  printed.bits = map.narrow ? 32 : 64;
  printed.operations = detail::operation_count(map);
  printed.most_workgroups = options.guarded ? 0 : map.most;
  return printed;
}

}  // namespace swizzleperf

#include "swizzle/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace swizzleperf {
namespace {

// An order of tiles as a program over a linear step `t` (already a bijection of 0 .. num_wgs-1).
struct Traversal {
  std::string name;
  std::string body;  // statements that read t and assign the result
  bool every_grid = false;
  int rank = 0;
};

// How workgroups are dealt to XCDs: a program that turns wg into the step t.
struct Deal {
  std::string name;
  std::string body;
  bool every_grid = true;
  int rank = 0;
};

// Small powers of two are what kernels in the field use, and are tried first.
int rank_of(int64_t parameter) {
  const auto value = static_cast<uint64_t>(parameter);
  return static_cast<int>(std::bit_width(value)) + (std::has_single_bit(value) ? 0 : 16);
}

// Parameters worth trying up to `extent`: powers of two, small divisors, and the neighbours of the extent.
std::vector<int64_t> window_sizes(int64_t extent) {
  std::set<int64_t> sizes;
  for (int64_t w = 2; w < extent && w <= 256; w *= 2) sizes.insert(w);
  for (const int64_t w : {3, 5, 6, 7, 10, 12, 14, 20, 24, 28}) {
    if (w < extent) sizes.insert(w);
  }
  for (int64_t w = 2; w <= 64 && w < extent; ++w) {
    if (extent % w == 0) sizes.insert(w);
  }
  for (int64_t parts = 2; parts <= 8; ++parts) {
    if (extent / parts > 1) sizes.insert((extent + parts - 1) / parts);
  }
  return {sizes.begin(), sizes.end()};
}

// Two extents of a tile space, as text (names or literals) and as numbers. `fast` is the axis that a plain walk moves
// first.
struct Plane {
  std::string fast_text, slow_text;
  int64_t fast = 1, slow = 1;
  std::string result;  // statements that turn (f, s) into the result
  bool every_grid = true;
  std::string label;  // prefix of the names: "" or "columns."
};

// Groups of `w` slow coordinates, walked slow-first inside: the classic GROUP_SIZE_M order, with a ragged last group.
Traversal grouped(const Plane& plane, int64_t w) {
  return {fmt::format("{}grouped({})", plane.label, w),
          fmt::format(
              "g = t / ({0} * {1}) * {0}; h = min({2} - g, {0}); m = t % ({0} * {1}); s = g + m % h; f = m / h; {3}", w,
              plane.fast_text, plane.slow_text, plane.result),
          plane.every_grid, rank_of(w)};
}

// The same, with every other group walked backwards, so that a group begins where the one before ended.
Traversal grouped_snake(const Plane& plane, int64_t w) {
  return {fmt::format("{}grouped_snake({})", plane.label, w),
          fmt::format("k = t / ({0} * {1}); g = k * {0}; h = min({2} - g, {0}); m = t % ({0} * {1}); s = g + m % h; f "
                      "= k % 2 == 0 ? m / h : {1} "
                      "- 1 - m / h; {3}",
                      w, plane.fast_text, plane.slow_text, plane.result),
          plane.every_grid, rank_of(w) + 2};
}

std::vector<Traversal> traversals(const Plane& plane) {
  const std::string& n = plane.fast_text;
  std::vector<Traversal> list;
  list.push_back(
      {plane.label + "rows", fmt::format("s = t / {0}; f = t % {0}; {1}", n, plane.result), plane.every_grid});
  list.push_back({plane.label + "snake",
                  fmt::format("s = t / {0}; f = s % 2 == 0 ? t % {0} : {0} - 1 - t % {0}; {1}", n, plane.result),
                  plane.every_grid});
  for (const int64_t w : window_sizes(plane.slow)) {
    list.push_back(grouped(plane, w));
    list.push_back(grouped_snake(plane, w));
  }
  return list;
}

std::vector<Traversal> curves(const Plane& plane) {
  std::vector<Traversal> list;
  for (const char* curve : {"hilbert", "morton"}) {
    list.push_back({plane.label + curve,
                    fmt::format("f = {0}_x(t, {1}, {2}); s = {0}_y(t, {1}, {2}); {3}", curve, plane.slow_text,
                                plane.fast_text, plane.result),
                    plane.every_grid});
  }
  return list;
}

// How launch ids meet XCDs. Balanced: XCD x works on one contiguous range of steps, of q or q + 1 of them. Chunked: XCD
// x takes chunks of c consecutive steps in turn; the steps after the last whole round of chunks are dealt balanced,
// never left as they are.
std::vector<Deal> deals(int64_t num_xcds, int64_t size) {
  std::vector<Deal> list = {{"", "t = wg"}};
  if (num_xcds <= 1) return list;
  list.push_back(
      {"xcd_balanced",
       "x = wg % num_xcds; r = num_wgs % num_xcds; t = x * (num_wgs / num_xcds) + min(x, r) + wg / num_xcds"});
  for (int64_t c = 2; c * num_xcds < size && c <= 4096; c *= 2) {
    list.push_back({fmt::format("xcd_chunked({})", c),
                    fmt::format("c = num_xcds * {0}; b = num_wgs / c * c; x = wg % num_xcds; l "
                                "= wg / num_xcds; u = num_wgs - b; v = wg - b; t = wg < b ? "
                                "l / {0} * c + x * {0} + l % {0} : b + v % num_xcds * (u / "
                                "num_xcds) + min(v % num_xcds, u % num_xcds) + v / num_xcds",
                                c),
                    true, rank_of(c)});
  }
  return list;
}

std::string join(const Deal& deal, const Traversal& order) {
  return deal.body + "; " + order.body;
}

std::string join_names(const Deal& deal, const Traversal& order) {
  return deal.name.empty() ? order.name : deal.name + "." + order.name;
}

class Collector {
 public:
  void add(std::string name, std::string map, bool every_grid, int rank = 0) {
    if (texts_.insert(map).second) members_.push_back({std::move(name), std::move(map), every_grid, rank});
  }
  std::vector<FamilyMember> take() { return std::move(members_); }

 private:
  std::set<std::string> texts_;
  std::vector<FamilyMember> members_;
};

// How one digit is walked.
enum class Walk { kPlain, kReversed, kFolded };

// The value of digit `d` of `extent` values under a walk. Folded takes first and last in turn, which pairs long and
// short blocks of a causal mask.
std::string walked(Walk walk, size_t d, int64_t extent) {
  switch (walk) {
    case Walk::kReversed:
      return fmt::format("({} - 1 - d{})", extent, d);
    case Walk::kFolded:
      return fmt::format("(d{0} % 2 == 0 ? d{0} / 2 : {1} - 1 - d{0} / 2)", d, extent);
    default:
      return fmt::format("d{}", d);
  }
}

// The program that takes the digits of the step t in another order, `order[0]` slowest, and one of them in another way.
Traversal digit_order(const FamilyRequest& request, const std::vector<size_t>& order, Walk walk) {
  const auto& digits = request.digits;
  std::string body;
  std::string rest = "t";
  for (size_t k = order.size(); k-- > 0;) {
    const size_t digit = order[k];
    body += k == 0 ? fmt::format("d{} = {}; ", digit, rest)
                   : fmt::format("d{0} = {1} % {2}; q{3} = {1} / {2}; ", digit, rest, digits[digit], k);
    rest = fmt::format("q{}", k);
  }
  std::string sum;
  for (size_t i = 0; i < digits.size(); ++i) {
    const bool uneven = static_cast<int>(i) == request.uneven_digit;
    const std::string value = walked(uneven ? walk : Walk::kPlain, i, digits[i]);
    sum = i == 0 ? value : fmt::format("({}) * {} + {}", sum, digits[i], value);
  }
  std::string name = "digits(";
  for (const size_t digit : order) name += std::to_string(digit);
  name += walk == Walk::kReversed ? ",reversed)" : walk == Walk::kFolded ? ",folded)" : ")";
  return {name, body + "pid = " + sum, false};
}

void add_digit_orders(const FamilyRequest& request, const std::vector<Deal>& dealt, Collector& collector) {
  // Two digits of equal work are a plane, whose walks are there already.
  if (request.digits.size() < 2 || (request.digits.size() == 2 && request.uneven_digit < 0)) return;
  std::vector<Walk> walks = {Walk::kPlain};
  if (request.uneven_digit >= 0) walks = {Walk::kPlain, Walk::kReversed, Walk::kFolded};
  std::vector<size_t> order(request.digits.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    for (const Walk walk : walks) {
      const Traversal traversal = digit_order(request, order, walk);
      for (const Deal& deal : dealt)
        collector.add(join_names(deal, traversal), join(deal, traversal), false, deal.rank + 1);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

std::vector<Plane> planes(const FamilyRequest& request) {
  const Grid& grid = request.grid;
  if (grid.axes() == 2) {
    return {{"grid_x", "grid_y", grid.x, grid.y, "pid_x = f; pid_y = s", true, ""},
            {"grid_y", "grid_x", grid.y, grid.x, "pid_x = s; pid_y = f", true, "columns."}};
  }
  if (grid.axes() == 3) {
    // Every pair of axes may be merged into the fast one: all walks that keep one axis slowest or fastest.
    return {{"(grid_x * grid_y)", "grid_z", grid.x * grid.y, grid.z,
             "pid_x = f % grid_x; pid_y = f / grid_x; pid_z = s", true, "xy_z."},
            {"(grid_y * grid_z)", "grid_x", grid.y * grid.z, grid.x,
             "pid_x = s; pid_y = f % grid_y; pid_z = f / grid_y", true, "yz_x."},
            {"(grid_x * grid_z)", "grid_y", grid.x * grid.z, grid.y,
             "pid_x = f % grid_x; pid_y = s; pid_z = f / grid_x", true, "xz_y."},
            {"grid_z", "(grid_x * grid_y)", grid.z, grid.x * grid.y,
             "pid_x = s % grid_x; pid_y = s / grid_x; pid_z = f", true, "z_xy."}};
  }
  if (request.tile_rows > 1 && request.tile_columns > 1) {
    const std::string rows = std::to_string(request.tile_rows);
    const std::string columns = std::to_string(request.tile_columns);
    return {
        {columns, rows, request.tile_columns, request.tile_rows, fmt::format("pid = s * {} + f", columns), false, ""},
        {rows, columns, request.tile_rows, request.tile_columns, fmt::format("pid = f * {} + s", columns), false,
         "columns."}};
  }
  return {};
}

}  // namespace

std::vector<FamilyMember> enumerate_families(const FamilyRequest& request) {
  Collector collector;
  const Grid& grid = request.grid;
  const int axes = grid.axes();
  collector.add("identity",
                axes == 1   ? "pid = wg"
                : axes == 2 ? "pid_x = wg_x; pid_y = wg_y"
                            : "pid_x = wg_x; pid_y = wg_y; pid_z = wg_z",
                true);
  const std::vector<Deal> dealt = deals(request.num_xcds, grid.size());
  if (axes == 1) {
    for (const Deal& deal : dealt) {
      if (!deal.name.empty()) collector.add(deal.name, deal.body + "; pid = t", true);
    }
    collector.add("reversed", "pid = num_wgs - 1 - wg", true);
  }
  for (const Plane& plane : planes(request)) {
    for (const Traversal& order : traversals(plane)) {
      for (const Deal& deal : dealt)
        collector.add(join_names(deal, order), join(deal, order), deal.every_grid && order.every_grid,
                      deal.rank + order.rank);
    }
    for (const Traversal& order : curves(plane)) {
      for (const Deal& deal : dealt)
        collector.add(join_names(deal, order), join(deal, order), deal.every_grid && order.every_grid,
                      deal.rank + order.rank);
    }
  }
  add_digit_orders(request, dealt, collector);
  return collector.take();
}

}  // namespace swizzleperf

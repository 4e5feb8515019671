#include "swizzle/grid.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace swizzleperf {

Expected<Grid> make_grid(int64_t x, int64_t y, int64_t z) {
  constexpr int64_t kLimit = (int64_t{1} << 31) - 1;
  const std::array<int64_t, 3> axes = {x, y, z};
  int64_t size = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 1) {
      return user_error(fmt::format("grid axis {} is {}: it must be at least 1", "xyz"[i], axes[i]));
    }
    if (axes[i] > kLimit / size) {
      return user_error(fmt::format("grid {}x{}x{} has more than 2^31-1 workgroups", x, y, z));
    }
    size *= axes[i];
  }
  return Grid{x, y, z};
}

Expected<Grid> parse_grid(std::string_view text) {
  std::array<int64_t, 3> axes = {1, 1, 1};
  size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (count < 3) {
    const auto [next, status] = std::from_chars(at, end, axes[count]);
    if (status != std::errc{}) break;
    ++count;
    at = next;
    if (at == end) return make_grid(axes[0], axes[1], axes[2]);
    if (*at != ',') break;
    ++at;
  }
  return user_error(fmt::format("grid '{}' is not X, X,Y or X,Y,Z with whole numbers", text), {},
                    "for example --grid 4096 or --grid 64,32");
}

std::string to_string(const Grid& grid) {
  if (grid.axes() == 1) return fmt::format("{}", grid.x);
  if (grid.axes() == 2) return fmt::format("{}x{}", grid.x, grid.y);
  return fmt::format("{}x{}x{}", grid.x, grid.y, grid.z);
}

}  // namespace swizzleperf

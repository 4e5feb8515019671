#include "report/reuse_text.h"

#include <fmt/format.h>

#include "report/text.h"

namespace swizzleperf {
namespace {

constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
constexpr double kNotable = 0.02;  // a shared fraction below this is not worth a word

std::string sharing(const ArrayReuse& array) {
  std::string text;
  for (size_t axis = 0; axis < kAxes.size(); ++axis) {
    if (array.shared_with_next[axis] < kNotable) continue;
    text += fmt::format("{}{} along {}", text.empty() ? "" : ", ", format_percent(array.shared_with_next[axis]),
                        kAxes[axis]);
  }
  return text.empty() ? "nothing" : text;
}

std::string sentence(const ArrayReuse& array, const GpuSpec& gpu) {
  const double share = static_cast<double>(array.touched_bytes) / static_cast<double>(gpu.l2.bytes);
  const std::string size =
      share <= 1 ? fmt::format("fits in one L2 ({})", format_percent(share)) : fmt::format("is {:.1f} x one L2", share);
  if (array.tiles_per_line < 1.05)
    return fmt::format("{}: every line belongs to one tile, no order can save traffic; it {}", array.name, size);
  return fmt::format("{}: a line is used by {:.1f} tiles on average (next tile shares {}); it {}", array.name,
                     array.tiles_per_line, sharing(array), size);
}

}  // namespace

std::string format_reuse(const Reuse& reuse, const GpuSpec& gpu) {
  std::vector<std::vector<std::string>> rows = {
      {"array", "access", "size", "touched", "a tile", "tiles/line", "shared with next tile"}};
  std::string words;
  for (const auto& array : reuse.arrays) {
    if (array.touched_bytes == 0) continue;
    rows.push_back({array.name,
                    array.loaded && array.stored ? "read+write"
                    : array.stored               ? "write"
                                                 : "read",
                    format_bytes(static_cast<double>(array.array_bytes)),
                    format_bytes(static_cast<double>(array.touched_bytes)), format_bytes(array.bytes_per_tile),
                    fmt::format("{:.1f}", array.tiles_per_line), sharing(array)});
    words += "  " + sentence(array, gpu) + "\n";
  }
  return fmt::format("Reuse of {} tiles (one L2 of {}: {})\n{}{}", reuse.tiles, gpu.name,
                     format_bytes(static_cast<double>(gpu.l2.bytes)), format_table(rows), words);
}

Json to_json(const Reuse& reuse) {
  Json arrays = Json::array();
  for (const auto& array : reuse.arrays) {
    arrays.push_back(
        {{"name", array.name},
         {"bytes", array.array_bytes},
         {"touched_bytes", array.touched_bytes},
         {"requested_bytes", array.requested_bytes},
         {"bytes_per_tile", array.bytes_per_tile},
         {"tiles_per_line", array.tiles_per_line},
         {"loaded", array.loaded},
         {"stored", array.stored},
         {"shared_with_next",
          {{"x", array.shared_with_next[0]}, {"y", array.shared_with_next[1]}, {"z", array.shared_with_next[2]}}}});
  }
  return {{"tiles", reuse.tiles}, {"arrays", std::move(arrays)}};
}

}  // namespace swizzleperf

#include "search/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "swizzle/cost.h"

namespace swizzleperf {
namespace {

// What a candidate does on a launch grid, over all points that launch it: a condition can only see the grid.
struct GridEffect {
  Grid grid;
  bool helps = false;
  bool hurts = false;  // at one of the points at least, or the map does not exist there
};

std::vector<GridEffect> by_grid(const std::vector<SweepPoint>& points, const std::vector<Effect>& effects) {
  std::vector<GridEffect> result;
  for (size_t i = 0; i < points.size(); ++i) {
    auto found =
        std::find_if(result.begin(), result.end(), [&](const auto& one) { return one.grid == points[i].grid; });
    if (found == result.end()) found = result.insert(result.end(), {points[i].grid});
    found->helps = found->helps || effects[i] == Effect::kHelps;
    found->hurts = found->hurts || effects[i] == Effect::kHurts || effects[i] == Effect::kNoMap;
  }
  std::sort(result.begin(), result.end(), [](const GridEffect& a, const GridEffect& b) {
    return std::tuple(a.grid.size(), a.grid.x, a.grid.y) < std::tuple(b.grid.size(), b.grid.x, b.grid.y);
  });
  return result;
}

std::string equals(const Grid& grid) {
  std::string text = fmt::format("grid_x == {}", grid.x);
  if (grid.axes() > 1) text += fmt::format(" && grid_y == {}", grid.y);
  if (grid.axes() > 2) text += fmt::format(" && grid_z == {}", grid.z);
  return text;
}

// Ranges of the number of workgroups that hold every grid that the map helps and none that it hurts; a grid that cannot
// be told apart by its number of workgroups is named by its extents.
std::string range_condition(const std::vector<GridEffect>& grids) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < grids.size();) {
    if (!grids[i].helps || grids[i].hurts) {
      ++i;
      continue;
    }
    size_t last = i;
    size_t end = i + 1;
    for (; end < grids.size() && !grids[end].hurts; ++end) last = grids[end].helps ? end : last;
    const bool shared = (i > 0 && grids[i - 1].hurts && grids[i - 1].grid.size() == grids[i].grid.size()) ||
                        (end < grids.size() && grids[end].grid.size() == grids[last].grid.size());
    if (shared) {
      for (size_t k = i; k <= last; ++k) {
        if (grids[k].helps) parts.push_back("(" + equals(grids[k].grid) + ")");
      }
    } else {
      parts.push_back(fmt::format("(num_wgs >= {} && num_wgs <= {})", grids[i].grid.size(), grids[last].grid.size()));
    }
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, " || "));
}

// The map under a condition, else the identity. A map assigns pid, or one or more of pid_x, pid_y and pid_z.
std::string under(const std::string& condition, const std::string& map) {
  std::string text = map + "; apply = " + condition;
  if (map.find("pid_") == std::string::npos) return text + "; pid = apply ? pid : wg";
  for (const char* axis : {"x", "y", "z"}) {
    if (map.find(fmt::format("pid_{}", axis)) != std::string::npos)
      text += fmt::format("; pid_{0} = apply ? pid_{0} : wg_{0}", axis);
  }
  return text;
}

struct Rated {
  SweepChoice choice;
  double gain = 0;
  int instructions = 0;
};

Rated rate(const std::vector<SweepPoint>& points, const SweepCandidate& candidate, size_t index) {
  Rated result{.choice = {.candidate = index, .map = candidate.map}};
  SweepChoice& choice = result.choice;
  if (const auto expr = SwizzleExpr::parse(candidate.map))
    result.instructions = estimate_instructions(*expr, points.back().grid);
  for (size_t i = 0; i < points.size(); ++i)
    choice.effects.push_back(effect_of(points[i].baseline, candidate.predictions[i]));
  const std::vector<GridEffect> grids = by_grid(points, choice.effects);
  const bool anywhere = std::none_of(grids.begin(), grids.end(), [](const GridEffect& one) { return one.hurts; });
  const auto applies = [&](const Grid& grid) {
    const auto found = std::find_if(grids.begin(), grids.end(), [&](const auto& one) { return one.grid == grid; });
    return anywhere || (found->helps && !found->hurts);
  };
  if (!candidate.every_grid) {
    for (const GridEffect& one : grids) {
      if (one.helps && !one.hurts) choice.guard_grids.push_back(one.grid);
    }
  } else if (!anywhere) {
    choice.condition = range_condition(grids);
    choice.map = under(choice.condition, candidate.map);
  }
  for (size_t i = 0; i < points.size(); ++i) {
    if (choice.effects[i] != Effect::kHelps || !applies(points[i].grid)) continue;
    ++choice.helps;
    result.gain += gain_of(points[i].baseline, *candidate.predictions[i]);
  }
  return result;
}

}  // namespace

double gain_of(const Prediction& before, const Prediction& after) {
  const auto ratio = [](double a, double b) { return a > 0 && b > 0 ? std::log(a / b) : 0; };
  return ratio(before.time_ms, after.time_ms) +
         ratio(static_cast<double>(before.dram_read_bytes + before.dram_write_bytes),
               static_cast<double>(after.dram_read_bytes + after.dram_write_bytes)) +
         ratio(static_cast<double>(before.l2_miss_bytes), static_cast<double>(after.l2_miss_bytes));
}

Effect effect_of(const Prediction& baseline, const std::optional<Prediction>& with_map) {
  if (!with_map) return Effect::kNoMap;
  if (decide(baseline, *with_map).verdict == "apply") return Effect::kHelps;
  return decide(*with_map, baseline).verdict == "apply" ? Effect::kHurts : Effect::kNothing;
}

std::optional<SweepChoice> choose_over_sizes(const std::vector<SweepPoint>& points,
                                             const std::vector<SweepCandidate>& candidates) {
  std::optional<Rated> best;
  const auto key = [](const Rated& one) {
    const bool free = one.choice.condition.empty() && one.choice.guard_grids.empty();
    const double steps = one.gain > 0 ? std::round(std::log(one.gain) * 20) : -1e9;
    return std::tuple(one.choice.helps, free, steps, -one.instructions);
  };
  for (size_t c = 0; c < candidates.size(); ++c) {
    Rated rated = rate(points, candidates[c], c);
    if (rated.choice.helps > 0 && (!best || key(rated) > key(*best))) best = std::move(rated);
  }
  return best ? std::optional(std::move(best->choice)) : std::nullopt;
}

}  // namespace swizzleperf

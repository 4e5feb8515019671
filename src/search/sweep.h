// Sweep: one map over many sizes of a kernel: where it helps, does nothing and hurts, and the condition under which it
// is put into the source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/search.h"

namespace swizzleperf {

enum class Effect {
  kHelps,    // a gain by the rules of decide()
  kNothing,  // neither
  kHurts,    // the unswizzled order is the gain
  kNoMap,    // the map is no bijection on this size, or faults there
};

Effect effect_of(const Prediction& baseline, const std::optional<Prediction>& with_map);

// Logarithms of the time, the DRAM bytes and the bytes leaving the L2s that are saved, summed.
double gain_of(const Prediction& before, const Prediction& after);

// One size of the kernel.
struct SweepPoint {
  std::string label;  // "M=4096, N=4096"
  Grid grid;
  Prediction baseline;
};

// One map at every point, in the order of the points.
struct SweepCandidate {
  std::string name;
  std::string map;
  bool every_grid = false;                             // a bijection on every grid of these axes, by construction
  std::vector<std::optional<Prediction>> predictions;  // nothing where the map is no bijection
};

// The candidate that is best over all sizes, and where it applies.
struct SweepChoice {
  size_t candidate = 0;
  std::vector<Effect> effects;  // of the candidate without a condition, by point
  // The map with its condition on the launch grid, in the map language; the candidate's own text where it needs none.
  std::string map;
  std::string condition;               // "" where the map applies at every size
  std::vector<Grid> guard_grids = {};  // not empty: for a map that is not known to be a bijection elsewhere
  int helps = 0;                       // points that it helps, under the condition
};

// Nothing where no candidate helps anywhere. Ranked by: points helped under the condition, then no condition needed,
// then gain_of() summed over those points, to 5 % of it, then fewer instructions.
std::optional<SweepChoice> choose_over_sizes(const std::vector<SweepPoint>& points,
                                             const std::vector<SweepCandidate>& candidates);

}  // namespace swizzleperf

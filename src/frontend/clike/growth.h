// Tiles that do the same thing the more often the farther they lie along one axis, as the query blocks of a causal
// attention do: a few long tiles show what all of them do. Private to the front end.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "frontend/clike/fit.h"
#include "frontend/clike/tracer.h"

namespace swizzleperf {

// A grid as planes of tiles along its one axis of unequal tiles. Places on the axis count from the short end.
struct Planes {
  Grid grid;
  int axis = 0;  // 0, 1, 2: x, y, z
  int64_t extent = 0;
  bool reversed = false;  // the short end lies at the end of the axis
  Grid plane() const;     // the grid without the axis
  int64_t tile(int64_t place, int64_t in_plane) const;
};

// From `high` downwards in steps: a tile lacks `shrink` phases for each step, taken out before its last `tail` phases.
struct GrowthRule {
  int64_t high = 0;
  int64_t low = 0;  // the rule holds down to here
  int64_t step = 1;
  int64_t shrink = 0;
  int64_t tail = 0;
  const Workload* longest = nullptr;  // a tile at `high`
  std::vector<int64_t> moves;         // by access of it: how far its origin lies behind that of a tile one step shorter
  std::optional<AffineFit> fit;       // of the origins at `high`, over the plane

  // Phases of a tile so many steps below; negative where there is no such tile.
  int64_t phases(int64_t steps) const;
  // Its accesses, from the origins of the tile at `high` in the same place of the plane.
  std::vector<Access> accesses(int64_t steps, const std::vector<int64_t>& origins) const;
  std::vector<int64_t> phase_begin(int64_t steps) const;
};

class Growth {
 public:
  // Nothing where the tiles do not differ along just one axis, or follow no rule along it.
  static Expected<std::optional<Growth>> find(Tracer& tracer, const Grid& grid);

  // Sets the tiles that follow a rule; the others are left to be traced. False where the rule breaks down on a tile.
  bool fill(WorkloadBuilder& builder) const;
  const std::vector<int64_t>& rest() const { return rest_; }
  std::string describe() const;

 private:
  Growth(Tracer& tracer, const Planes& planes);
  std::vector<int64_t> tiles_at(int64_t place, const std::vector<int64_t>& in_plane) const;
  std::optional<AffineFit> fit_plane(int64_t place) const;
  void plan_plane();
  Expected<bool> learn_plane();
  Expected<bool> find_rules();
  Expected<bool> find_rules(int64_t high, int64_t step);
  Expected<bool> check_rule(GrowthRule& rule);
  bool holds(const GrowthRule& rule, int64_t place, int64_t in_plane) const;
  Expected<void> fit_rest();

  Tracer* tracer_;
  Planes planes_;
  std::unique_ptr<FeatureTable> features_;  // of the plane; fits point to it
  std::vector<int64_t> basis_;              // of the plane
  std::vector<int64_t> checks_;
  std::vector<GrowthRule> rules_;
  std::vector<std::pair<int64_t, AffineFit>> fitted_;  // places that follow no rule, each with a fit of its own
  std::vector<int64_t> rest_;                          // tiles
  std::mt19937_64 random_{20260103};                   // fixed: the same case gives the same answer
};

}  // namespace swizzleperf

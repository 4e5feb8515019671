// Random plans, and variations of plans.
#pragma once

#include <random>

#include "search/plan.h"
#include "swizzle/families.h"

namespace swizzleperf {

// A seeded source of numbers that are the same on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t operator()() { return engine_(); }
  // 0 <= result < bound; bound >= 1. The bias of the remainder does not matter here.
  size_t below(size_t bound) { return static_cast<size_t>(engine_() % bound); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

// What plans on a workload are made of.
struct PlanSpace {
  int64_t n = 1;                 // workgroups
  std::vector<int64_t> deals;    // XCDs, and other numbers of parts worth dealing to
  std::vector<int64_t> columns;  // row lengths of the planes that the grid and the tiles' digits show
  std::vector<int64_t> digits;   // of the tile id, slowest first, none of 1
};
PlanSpace plan_space(const FamilyRequest& request);

Plan random_plan(const PlanSpace& space, Random& random);

// One change: a parameter, a stage more, less or elsewhere. A valid plan of a valid one, mostly another.
Plan mutate(const Plan& plan, const PlanSpace& space, Random& random);

// The first stages of one and the last ones of the other.
Plan cross(const Plan& a, const Plan& b, Random& random);

// A member of the families as a plan, by its name; nothing for one that plans cannot say.
std::optional<Plan> plan_of_family(const std::string& name, const PlanSpace& space);

}  // namespace swizzleperf

#include "frontend/clike/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swizzleperf {
namespace {

constexpr int64_t kShortestAxis = 4;
constexpr int64_t kPlaneTiles = 65536;  // up to this size of a plane every tile's first requests are traced
constexpr int64_t kPrefixRequests = 48;
constexpr size_t kPlaneChecks = 2;       // tiles of a plane that are traced only to check its fit
constexpr int kRandomChecks = 2;         // of a rule, beside those at powers of two
constexpr int64_t kPartOfAxis = 4;       // a rule that holds for less than all but a quarter of the axis is none
constexpr int64_t kSteps[] = {1, 2, 4};  // a block of one axis may be as long as several of the other

int64_t phase_count(const Workload& tile) {
  return static_cast<int64_t>(tile.phase_begin.size()) - 1;
}

int64_t extent_of(const Grid& grid, int axis) {
  return axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
}

bool same_phase(const Workload& a, int64_t phase_a, const Workload& b, int64_t phase_b) {
  const auto begin_a = static_cast<size_t>(a.phase_begin[static_cast<size_t>(phase_a)]);
  const auto begin_b = static_cast<size_t>(b.phase_begin[static_cast<size_t>(phase_b)]);
  const auto count = static_cast<size_t>(a.phase_begin[static_cast<size_t>(phase_a) + 1]) - begin_a;
  if (count != static_cast<size_t>(b.phase_begin[static_cast<size_t>(phase_b) + 1]) - begin_b) return false;
  for (size_t i = 0; i < count; ++i) {
    const Access &x = a.accesses[begin_a + i], &y = b.accesses[begin_b + i];
    if (x.array != y.array || x.kind != y.kind ||
        !(a.patterns[static_cast<size_t>(x.pattern)] == b.patterns[static_cast<size_t>(y.pattern)]))
      return false;
  }
  return true;
}

// What a tile one step shorter lacks, and how its accesses move; false where it is no shorter form of the longest.
bool compare(const Workload& longest, const Workload& shorter, GrowthRule& rule) {
  const int64_t most = phase_count(longest), fewer = phase_count(shorter);
  rule.shrink = most - fewer;
  if (rule.shrink <= 0) return false;
  int64_t head = 0;
  while (head < fewer && same_phase(longest, head, shorter, head)) ++head;
  rule.tail = fewer - head;
  for (int64_t p = head; p < fewer; ++p) {
    if (!same_phase(longest, p + rule.shrink, shorter, p)) return false;
  }
  rule.longest = &longest;
  rule.moves.assign(longest.accesses.size(), 0);
  const auto shared = static_cast<size_t>(shorter.phase_begin[static_cast<size_t>(head)]);
  const size_t lacking = longest.accesses.size() - shorter.accesses.size();
  for (size_t i = 0; i < shorter.accesses.size(); ++i) {
    const size_t same = i < shared ? i : i + lacking;
    rule.moves[same] = longest.accesses[same].origin - shorter.accesses[i].origin;
  }
  return true;
}

// The one axis along which the number of phases differs, and not only at its edges.
Expected<std::optional<Planes>> find_axis(Tracer& tracer, const Grid& grid) {
  std::optional<Planes> result;
  for (int axis = 0; axis < 3; ++axis) {
    const Planes planes{.grid = grid, .axis = axis, .extent = extent_of(grid, axis)};
    if (planes.extent < 2) continue;
    const int64_t first = planes.tile(0, 0), last = planes.tile(planes.extent - 1, 0);
    if (auto status = tracer.need({first, last}); !status) return tl::unexpected(status.error());
    const int64_t difference = phase_count(tracer.whole(last)) - phase_count(tracer.whole(first));
    if (difference == 0) continue;
    if (result || planes.extent < kShortestAxis) return std::nullopt;
    result = planes;
    result->reversed = difference < 0;
  }
  if (!result) return result;
  const std::array<int64_t, 3> inside = {result->tile(1, 0), result->tile(result->extent / 2, 0),
                                         result->tile(result->extent - 2, 0)};
  if (auto status = tracer.need({inside.begin(), inside.end()}); !status) return tl::unexpected(status.error());
  const auto length = [&](size_t i) { return phase_count(tracer.whole(inside.at(i))); };
  if (length(0) == length(1) && length(1) == length(2)) return std::nullopt;
  return result;
}

}  // namespace

Grid Planes::plane() const {
  Grid result = grid;
  (axis == 0 ? result.x : axis == 1 ? result.y : result.z) = 1;
  return result;
}

int64_t Planes::tile(int64_t place, int64_t in_plane) const {
  Coordinate at = coordinate(plane(), in_plane);
  (axis == 0 ? at.x : axis == 1 ? at.y : at.z) = reversed ? extent - 1 - place : place;
  return linear(grid, at);
}

int64_t GrowthRule::phases(int64_t steps) const {
  const int64_t count = phase_count(*longest) - steps * shrink;
  return count < tail ? -1 : count;
}

std::vector<Access> GrowthRule::accesses(int64_t steps, const std::vector<int64_t>& origins) const {
  const int64_t head = phases(steps) - tail;
  const auto head_end = static_cast<size_t>(longest->phase_begin[static_cast<size_t>(head)]);
  const auto tail_begin =
      static_cast<size_t>(longest->phase_begin[longest->phase_begin.size() - 1 - static_cast<size_t>(tail)]);
  std::vector<Access> result;
  result.reserve(head_end + longest->accesses.size() - tail_begin);
  const auto append = [&](size_t i) {
    result.push_back(longest->accesses[i]);
    result.back().origin = origins[i] - steps * moves[i];
  };
  for (size_t i = 0; i < head_end; ++i) append(i);
  for (size_t i = tail_begin; i < longest->accesses.size(); ++i) append(i);
  return result;
}

std::vector<int64_t> GrowthRule::phase_begin(int64_t steps) const {
  const auto head = static_cast<long>(phases(steps) - tail);
  const auto& all = longest->phase_begin;
  std::vector<int64_t> result(all.begin(), all.begin() + head + 1);
  const auto tail_begin = all.end() - 1 - static_cast<long>(tail);
  std::transform(tail_begin + 1, all.end(), std::back_inserter(result),
                 [&](int64_t begin) { return begin - *tail_begin + all[static_cast<size_t>(head)]; });
  return result;
}

Growth::Growth(Tracer& tracer, const Planes& planes)
    : tracer_(&tracer), planes_(planes), features_(std::make_unique<FeatureTable>(planes.plane())) {}

std::vector<int64_t> Growth::tiles_at(int64_t place, const std::vector<int64_t>& in_plane) const {
  std::vector<int64_t> tiles;
  for (const int64_t one : in_plane) tiles.push_back(planes_.tile(place, one));
  return tiles;
}

std::optional<AffineFit> Growth::fit_plane(int64_t place) const {
  std::vector<const Workload*> footprints;
  for (const int64_t one : basis_) footprints.push_back(&tracer_->whole(planes_.tile(place, one)));
  auto fit = features_->fit(basis_, footprints);
  if (!fit) return fit;
  for (const int64_t one : checks_) {
    const auto origins = fit->origins(one);
    if (!origins || !same_footprint(tracer_->whole(planes_.tile(place, one)), *footprints.front(), *origins))
      return std::nullopt;
  }
  return fit;
}

void Growth::plan_plane() {
  const Grid plane = planes_.plane();
  std::vector<int64_t> order = {0};
  for (const Coordinate& corner :
       {Coordinate{plane.x - 1, 0, 0}, Coordinate{0, plane.y - 1, 0}, Coordinate{0, 0, plane.z - 1}})
    order.push_back(linear(plane, corner));
  for (int64_t tile = 0; tile < plane.size(); ++tile) order.push_back(tile);
  basis_ = features_->choose_basis(order);
  checks_.clear();
  const auto add = [&](int64_t tile) {
    if (std::find(basis_.begin(), basis_.end(), tile) == basis_.end()) checks_.push_back(tile);
  };
  add(plane.size() - 1);
  for (size_t i = 1; i < kPlaneChecks; ++i) add(static_cast<int64_t>(random_() % static_cast<uint64_t>(plane.size())));
}

// Over which features the tiles of a plane are affine. Tried where tiles are short.
Expected<bool> Growth::learn_plane() {
  constexpr int64_t kShort = 1;
  for (const bool with_prefixes : {false, true}) {
    if (with_prefixes) {
      if (planes_.plane().size() > kPlaneTiles) return false;
      std::vector<int64_t> all(static_cast<size_t>(planes_.plane().size()));
      for (size_t i = 0; i < all.size(); ++i) all[i] = planes_.tile(kShort, static_cast<int64_t>(i));
      const auto prefixes = tracer_->run(all, kPrefixRequests);
      if (!prefixes) return tl::unexpected(prefixes.error());
      features_->add_prefixes(*prefixes);
    }
    plan_plane();
    for (const auto& list : {basis_, checks_}) {
      if (auto status = tracer_->need(tiles_at(kShort, list)); !status) return tl::unexpected(status.error());
    }
    if (fit_plane(kShort)) return true;
  }
  return false;
}

bool Growth::holds(const GrowthRule& rule, int64_t place, int64_t in_plane) const {
  const int64_t steps = (rule.high - place) / rule.step;
  const auto origins = rule.fit->origins(in_plane);
  if (!origins || rule.phases(steps) < 0) return false;
  const Workload& seen = tracer_->whole(planes_.tile(place, in_plane));
  const std::vector<Access> expected = rule.accesses(steps, *origins);
  if (seen.phase_begin != rule.phase_begin(steps)) return false;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Access &x = seen.accesses[i], &y = expected[i];
    if (x.origin != y.origin || x.array != y.array || x.kind != y.kind ||
        !(seen.patterns[static_cast<size_t>(x.pattern)] == rule.longest->patterns[static_cast<size_t>(y.pattern)]))
      return false;
  }
  return true;
}

// Whole tiles at powers of two and at random, in other places of the plane: finds down to where the rule holds.
Expected<bool> Growth::check_rule(GrowthRule& rule) {
  const auto any = [&](int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); };
  const int64_t lowest = rule.high % rule.step;
  std::map<int64_t, int64_t> checks = {{lowest, any(planes_.plane().size())}};  // place -> in plane
  const auto add = [&](int64_t place) {
    const int64_t aligned = rule.high - (rule.high - place) / rule.step * rule.step;
    if (aligned < rule.high) checks.emplace(aligned, any(planes_.plane().size()));
  };
  for (int64_t place = 1; place < rule.high; place *= 2) add(place);
  for (int i = 0; i < kRandomChecks; ++i) add(any(rule.high));
  std::vector<int64_t> tiles;
  for (const auto& [place, in_plane] : checks) tiles.push_back(planes_.tile(place, in_plane));
  if (auto status = tracer_->need(tiles); !status) return tl::unexpected(status.error());
  rule.low = lowest;
  bool previous = true;
  for (const auto& [place, in_plane] : checks) {
    const bool good = holds(rule, place, in_plane);
    if (good && !previous) rule.low = place;
    previous = good;
  }
  return previous && rule.low <= rule.high / kPartOfAxis;
}

Expected<bool> Growth::find_rules(int64_t high, int64_t step) {
  rules_.clear();
  for (int64_t place = high; place > high - step; --place) {
    GrowthRule rule{.high = place, .step = step};
    if (place - step < 0) return false;
    if (auto status = tracer_->need({planes_.tile(place, basis_.front()), planes_.tile(place - step, basis_.front())});
        !status)
      return tl::unexpected(status.error());
    if (!compare(tracer_->whole(planes_.tile(place, basis_.front())),
                 tracer_->whole(planes_.tile(place - step, basis_.front())), rule))
      return false;
    if (auto status = tracer_->need(tiles_at(place, basis_)); !status) return tl::unexpected(status.error());
    std::vector<const Workload*> footprints;
    for (const int64_t one : basis_) footprints.push_back(&tracer_->whole(planes_.tile(place, one)));
    rule.fit = features_->fit(basis_, footprints);
    if (!rule.fit) return false;
    const auto good = check_rule(rule);
    if (!good || !*good) return good;
    rules_.push_back(std::move(rule));
  }
  return true;
}

// Tiles at the far edge are often cut off: then the rule begins one before.
Expected<bool> Growth::find_rules() {
  for (const int64_t high : {planes_.extent - 1, planes_.extent - 2}) {
    for (const int64_t step : kSteps) {
      const auto found = find_rules(high, step);
      if (!found || *found) return found;
    }
  }
  rules_.clear();
  return false;
}

// Places that no rule covers are planes with a fit of their own, as far as one holds.
Expected<void> Growth::fit_rest() {
  std::vector<int64_t> places, tiles;
  for (int64_t place = 0; place < planes_.extent; ++place) {
    const bool covered = std::any_of(rules_.begin(), rules_.end(), [&](const GrowthRule& rule) {
      return place >= rule.low && place <= rule.high && (rule.high - place) % rule.step == 0;
    });
    if (covered) continue;
    places.push_back(place);
    for (const auto& list : {basis_, checks_}) {
      const auto more = tiles_at(place, list);
      tiles.insert(tiles.end(), more.begin(), more.end());
    }
  }
  if (auto status = tracer_->need(tiles); !status) return status;
  for (const int64_t place : places) {
    if (auto fit = fit_plane(place)) {
      fitted_.emplace_back(place, std::move(*fit));
      continue;
    }
    for (int64_t one = 0; one < planes_.plane().size(); ++one) rest_.push_back(planes_.tile(place, one));
  }
  return {};
}

Expected<std::optional<Growth>> Growth::find(Tracer& tracer, const Grid& grid) {
  const auto planes = find_axis(tracer, grid);
  if (!planes) return tl::unexpected(planes.error());
  if (!*planes) return std::nullopt;
  Growth growth(tracer, **planes);
  const auto learned = growth.learn_plane();
  if (!learned) return tl::unexpected(learned.error());
  if (!*learned) return std::nullopt;
  const auto ruled = growth.find_rules();
  if (!ruled) return tl::unexpected(ruled.error());
  // Without a rule each plane is traced for itself: worth it where that is much less than every tile.
  const auto traced_of_plane = static_cast<int64_t>(growth.basis_.size() + growth.checks_.size());
  if (!*ruled && traced_of_plane * 2 > growth.planes_.plane().size()) return std::nullopt;
  if (auto status = growth.fit_rest(); !status) return tl::unexpected(status.error());
  return growth;
}

bool Growth::fill(WorkloadBuilder& builder) const {
  for (int64_t one = 0; one < planes_.plane().size(); ++one) {
    for (const GrowthRule& rule : rules_) {
      const auto origins = rule.fit->origins(one);
      if (!origins) return false;
      for (int64_t place = rule.high; place >= rule.low; place -= rule.step) {
        const int64_t steps = (rule.high - place) / rule.step;
        if (rule.phases(steps) < 0) return false;
        builder.set(planes_.tile(place, one), rule.accesses(steps, *origins), rule.phase_begin(steps), *rule.longest);
      }
    }
    for (const auto& [place, fit] : fitted_) {
      const Workload& like = tracer_->whole(planes_.tile(place, basis_.front()));
      const auto origins = fit.origins(one);
      if (!origins) return false;
      std::vector<Access> accesses = like.accesses;
      for (size_t i = 0; i < accesses.size(); ++i) accesses[i].origin = (*origins)[i];
      builder.set(planes_.tile(place, one), std::move(accesses), like.phase_begin, like);
    }
  }
  return true;
}

std::string Growth::describe() const {
  const char axis = "xyz"[planes_.axis];
  std::string text =
      rules_.empty() ? fmt::format("affine in the workgroup ids at each of {} places along {}", planes_.extent, axis)
                     : fmt::format("affine in the workgroup ids, longer step by step along {}", axis);
  text += fmt::format(", fitted and checked on {} traced workgroups", tracer_->count());
  if (!rest_.empty()) text += fmt::format("; {} workgroups that follow no rule traced one by one", rest_.size());
  return text;
}

}  // namespace swizzleperf

#include "workload/declared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "workload/declared_patterns.h"

namespace swizzleperf::declared {
namespace {

constexpr size_t kMaxAccesses = size_t{1} << 27;  // 2 GiB
constexpr size_t kMaxSegments = size_t{1} << 27;
constexpr int64_t kMaxTileElements = int64_t{1} << 28;
constexpr int64_t kMaxWaveElements = int64_t{1} << 22;  // of an access whose wave instructions are looked at singly

class Runner {
 public:
  Runner(Program& program, RunInput input, Workload& workload)
      : program_(program), input_(std::move(input)), workload_(workload), values_(std::move(input_.values)) {
    values_.resize(program.variables.size(), 0);
    inside_.assign(static_cast<size_t>(program.accesses), false);
    tried_.assign(static_cast<size_t>(program.accesses), nullptr);
    workload_.tile_begin = {0};
    workload_.phase_begin = {0};
  }

  Expected<void> run() {
    const int64_t tiles = workload_.grid.size();
    workload_.tile_begin.reserve(static_cast<size_t>(tiles) + 1);
    for (tile_ = 0; tile_ < tiles; ++tile_) {
      const Coordinate at = coordinate(workload_.grid, tile_);
      values_[kPid] = tile_;
      values_[kPidX] = at.x;
      values_[kPidY] = at.y;
      values_[kPidZ] = at.z;
      if (!block(program_.statements)) return tl::unexpected(std::move(*error_));
      end_phase();
      workload_.tile_begin.push_back(static_cast<int64_t>(workload_.phase_begin.size()) - 1);
    }
    for (size_t i = 0; i < inside_.size(); ++i) {
      if (tried_[i] == nullptr || inside_[i]) continue;
      return user_error("this access never lies inside its array, for no tile", tried_[i]->place,
                        "check its ranges, and the order of the array's axes");
    }
    return {};
  }

 private:
  bool fail(const Place& place, std::string message, std::string advice = {}) {
    error_ = Error{Blame::kUser, fmt::format("{} (tile {})", message, tile_), place, std::move(advice)};
    return false;
  }
  bool evaluate(int expression, int64_t& value) {
    const char* fault = nullptr;
    value = program_.expressions[static_cast<size_t>(expression)].evaluate(values_, fault);
    return fault == nullptr || fail(program_.expression_places[static_cast<size_t>(expression)], fault);
  }
  int64_t& variable(int slot) { return values_[static_cast<size_t>(slot)]; }

  // Counts the work, so that every program ends.
  bool step(const Statement& s) {
    return ++steps_ <= input_.max_steps ||
           fail(s.place, fmt::format("the program takes more than {} steps", input_.max_steps),
                "describe a smaller variant of the kernel");
  }
  void end_phase() {
    const auto count = static_cast<int64_t>(workload_.accesses.size());
    if (workload_.phase_begin.back() != count) workload_.phase_begin.push_back(count);
  }

  bool block(const std::vector<Statement>& statements) {
    return std::all_of(statements.begin(), statements.end(), [&](const Statement& s) { return statement(s); });
  }

  bool statement(const Statement& s) {
    if (!step(s)) return false;
    switch (s.kind) {
      case Statement::Kind::kAssign:
        return evaluate(s.expression, variable(s.variable));
      case Statement::Kind::kLookUp: {
        int64_t place = 0;
        if (!evaluate(s.expression, place)) return false;
        const auto& values = input_.tables[static_cast<size_t>(s.table)].values;
        if (!in_table(s, s.table, place, 1)) return false;
        variable(s.variable) = values[static_cast<size_t>(place)];
        return true;
      }
      case Statement::Kind::kFor:
        return loop(s);
      case Statement::Kind::kIf: {
        int64_t holds = 0;
        return evaluate(s.expression, holds) && block(holds != 0 ? s.body : s.otherwise);
      }
      case Statement::Kind::kAccess:
        return access(s);
      case Statement::Kind::kWait:
        end_phase();
        return true;
    }
    return true;
  }

  bool loop(const Statement& s) {
    int64_t first = 0, end = 0, by = 1;
    if (!evaluate(s.expression, first) || !evaluate(s.end, end)) return false;
    if (s.step >= 0 && !evaluate(s.step, by)) return false;
    if (by < 1) return fail(s.place, fmt::format("the loop's step is {}: it must be at least 1", by));
    for (int64_t i = first; i < end;) {
      variable(s.variable) = i;
      if (!step(s) || !block(s.body)) return false;
      if (!s.together) end_phase();
      if (__builtin_add_overflow(i, by, &i)) break;
    }
    return true;
  }

  bool in_table(const Statement& s, int table, int64_t place, int64_t count) {
    const Table& t = input_.tables[static_cast<size_t>(table)];
    const auto size = static_cast<int64_t>(t.values.size());
    if (place >= 0 && count <= size && place <= size - count) return true;
    return fail(s.place, fmt::format("places {} to {} of the table '{}', which has {} values", place, place + count - 1,
                                     t.name, size));
  }

  // The tile of an access, cut to its array: what lies outside is masked off.
  bool access(const Statement& s) {
    const Array& array = input_.arrays[static_cast<size_t>(s.array)];
    const auto number = static_cast<size_t>(s.access_number);
    const size_t axes = s.ranges.size();
    origin_.assign(axes, 0);
    shape_.counts.assign(axes, 0);
    shape_.wave = s.wave;
    shape_.chunk = s.lane_bytes > 0 ? std::max<int64_t>(1, input_.wave_lanes * s.lane_bytes / array.element_bytes) : 0;
    int gathered = -1;
    bool empty = false;
    int64_t elements = 1;
    for (size_t i = 0; i < axes; ++i) {
      const Range& range = s.ranges[i];
      int64_t begin = 0, count = 1;
      if (!evaluate(range.begin, begin)) return false;
      if (range.count >= 0 && !evaluate(range.count, count)) return false;
      if (count < 0) return fail(s.place, fmt::format("a range of {} elements", count));
      if (count == 0) return true;
      if (range.table >= 0) {
        if (gathered >= 0) return fail(s.place, "only one axis of an access can be gathered");
        gathered = static_cast<int>(i);
        if (!in_table(s, range.table, begin, count)) return false;
      } else {
        const int64_t extent = array.shape[i];
        const int64_t cut_begin = std::clamp<int64_t>(begin, 0, extent);
        const int64_t end = count > INT64_MAX - std::max<int64_t>(begin, 0) ? INT64_MAX : begin + count;
        count = std::clamp<int64_t>(end, cut_begin, extent) - cut_begin;
        begin = cut_begin;
        empty = empty || count == 0;
      }
      origin_[i] = begin;
      shape_.counts[i] = count;
      elements = elements > kMaxTileElements ? elements : elements * std::min(count, kMaxTileElements);
    }
    tried_[number] = &s;
    if (empty) return true;
    const bool by_wave = gathered >= 0 || !s.wave.empty() || s.lane_bytes > 0;
    if (elements > (by_wave ? kMaxWaveElements : kMaxTileElements))
      return fail(s.place,
                  fmt::format("one access to more than {} elements", by_wave ? kMaxWaveElements : kMaxTileElements));
    if (s.access == AccessKind::kStore) end_phase();
    const bool added = gathered >= 0 ? gather(s, array, static_cast<size_t>(gathered)) : tile(s, array);
    if (!added) return false;
    if (s.access == AccessKind::kStore) end_phase();
    return true;
  }

  bool tile(const Statement& s, const Array& array) {
    const auto [found, is_new] =
        patterns_.try_emplace({s.array, shape_}, static_cast<int32_t>(workload_.patterns.size()));
    if (is_new && !add_pattern(s, tile_pattern(array, shape_))) return false;
    int64_t element = 0;
    for (size_t i = 0; i < origin_.size(); ++i) element += origin_[i] * array.strides[i];
    return add_access(s, found->second, element * array.element_bytes);
  }

  bool gather(const Statement& s, const Array& array, size_t axis) {
    const auto& table = input_.tables[static_cast<size_t>(s.ranges[axis].table)].values;
    std::vector<int64_t> elements;
    for (int64_t i = 0; i < shape_.counts[axis]; ++i) {
      const int64_t element = table[static_cast<size_t>(origin_[axis] + i)];
      if (element >= 0 && element < array.shape[axis]) elements.push_back(element);
    }
    if (elements.empty()) return true;
    if (shape_.chunk == 0) shape_.chunk = input_.wave_lanes;
    origin_[axis] = 0;
    // One access a wave instruction: what several of them share is for the L1 to find.
    int64_t beside = 1;  // elements along the other axes
    for (size_t i = 0; i < shape_.counts.size(); ++i) beside *= i == axis ? 1 : shape_.counts[i];
    const auto step = static_cast<size_t>(std::max<int64_t>(1, shape_.chunk / beside));
    for (size_t first = 0; first < elements.size(); first += step) {
      const auto begin = elements.begin() + static_cast<int64_t>(first);
      const auto end = elements.begin() + static_cast<int64_t>(std::min(first + step, elements.size()));
      if (!add_pattern(s, gather_pattern(array, shape_, origin_, axis, {begin, end}))) return false;
      if (!add_access(s, static_cast<int32_t>(workload_.patterns.size()) - 1, 0)) return false;
    }
    return true;
  }

  bool add_pattern(const Statement& s, Pattern pattern) {
    segments_ += pattern.segments.size();
    if (segments_ > kMaxSegments) return fail(s.place, "the workload has too many different requests to hold");
    workload_.patterns.push_back(std::move(pattern));
    return true;
  }

  bool add_access(const Statement& s, int32_t pattern, int64_t origin) {
    if (workload_.accesses.size() >= kMaxAccesses)
      return fail(s.place, fmt::format("the workload has more than {} accesses", kMaxAccesses),
                  "describe a smaller variant of the kernel");
    inside_[static_cast<size_t>(s.access_number)] = true;
    workload_.accesses.push_back({origin, pattern, static_cast<int16_t>(s.array), s.access});
    return true;
  }

  Program& program_;
  RunInput input_;
  Workload& workload_;
  std::vector<int64_t> values_;
  std::vector<bool> inside_;             // by access: it touched something, for some tile
  std::vector<const Statement*> tried_;  // by access: it was reached
  std::map<std::pair<int, TileShape>, int32_t> patterns_;
  size_t segments_ = 0;
  std::optional<Error> error_;
  std::vector<int64_t> origin_;  // of the current access
  TileShape shape_;
  int64_t tile_ = 0;
  int64_t steps_ = 0;
};

}  // namespace

Expected<void> run_program(Program& program, RunInput input, Workload& workload) {
  return Runner(program, std::move(input), workload).run();
}

}  // namespace swizzleperf::declared

#include "search/vary_plan.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace swizzleperf {
namespace {

constexpr size_t kMostStages = 4;
constexpr size_t kMostDigits = 6;

int64_t power_of_two(Random& random, int from, int to) {
  return int64_t{1} << (static_cast<size_t>(from) + random.below(static_cast<size_t>(to - from + 1)));
}

// Twice, half, one more, one less.
int64_t nudged(int64_t value, Random& random) {
  switch (random.below(4)) {
    case 0:
      return value * 2;
    case 1:
      return std::max<int64_t>(2, value / 2);
    case 2:
      return value + 1;
    default:
      return std::max<int64_t>(2, value - 1);
  }
}

Stage random_deal(const PlanSpace& space, Random& random) {
  const int64_t parts = random.chance(75) ? space.deals.front() : random.one_of(space.deals);
  if (random.chance(45)) return {StageKind::kDeal, {parts}};
  return {StageKind::kChunk, {parts, std::min(space.n, power_of_two(random, 1, 9))}};
}

Stage random_walk(const PlanSpace& space, Random& random) {
  constexpr StageKind kWalks[] = {StageKind::kRows,    StageKind::kSnake,        StageKind::kGrouped,
                                  StageKind::kGrouped, StageKind::kGroupedSnake, StageKind::kHilbert,
                                  StageKind::kMorton};
  Stage stage{kWalks[random.below(std::size(kWalks))],
              {random.one_of(space.columns), static_cast<int64_t>(random.below(2))}};
  if (stage.kind == StageKind::kGrouped || stage.kind == StageKind::kGroupedSnake)
    stage.parameters.push_back(power_of_two(random, 1, 6));
  return stage;
}

std::vector<int64_t> divisors(int64_t extent) {
  std::vector<int64_t> result;
  for (int64_t d = 2; d <= 256 && d < extent; ++d) {
    if (extent % d == 0) result.push_back(d);
  }
  return result;
}

// A digit as two: blocks of it, and the place in a block.
void split_digit(DigitPlan& plan, Random& random) {
  const size_t digit = random.below(plan.extents.size());
  const auto choices = divisors(plan.extents[digit]);
  if (choices.empty() || plan.extents.size() >= kMostDigits) return;
  const int64_t inner = random.one_of(choices);
  for (int64_t& other : plan.order) other += other > static_cast<int64_t>(digit) ? 1 : 0;
  const auto at = static_cast<long>(digit);
  plan.extents[digit] /= inner;
  plan.extents.insert(plan.extents.begin() + at + 1, inner);
  plan.walks.insert(plan.walks.begin() + at + 1, plan.walks[digit]);
  plan.order.insert(plan.order.begin() + static_cast<long>(random.below(plan.order.size() + 1)), at + 1);
  plan.skewed = plan.by = -1;
}

// A digit and the next faster one as one.
void merge_digits(DigitPlan& plan, Random& random) {
  if (plan.extents.size() < 3) return;
  const size_t digit = random.below(plan.extents.size() - 1);
  const auto inner = static_cast<int64_t>(digit) + 1;
  plan.extents[digit] *= plan.extents[digit + 1];
  plan.extents.erase(plan.extents.begin() + inner);
  plan.walks.erase(plan.walks.begin() + inner);
  plan.order.erase(std::find(plan.order.begin(), plan.order.end(), inner));
  for (int64_t& other : plan.order) other -= other > inner ? 1 : 0;
  plan.skewed = plan.by = -1;
}

void vary_digits(DigitPlan& plan, Random& random) {
  const size_t count = plan.extents.size();
  switch (random.below(6)) {
    case 0:
    case 1:
      std::swap(plan.order[random.below(count)], plan.order[random.below(count)]);
      break;
    case 2:
      plan.walks[random.below(count)] = static_cast<int64_t>(random.below(4));
      break;
    case 3:
      split_digit(plan, random);
      break;
    case 4:
      merge_digits(plan, random);
      break;
    default:
      plan.skewed = static_cast<int64_t>(random.below(count));
      plan.by = static_cast<int64_t>(random.below(count));
      if (plan.skewed == plan.by) plan.skewed = plan.by = -1;
  }
}

Stage random_digits(const PlanSpace& space, Random& random) {
  DigitPlan plan{space.digits, std::vector<int64_t>(space.digits.size()), std::vector<int64_t>(space.digits.size(), 0)};
  std::iota(plan.order.begin(), plan.order.end(), 0);
  for (size_t changes = 1 + random.below(4); changes-- > 0;) vary_digits(plan, random);
  return plan.stage();
}

Stage random_stage(const PlanSpace& space, Random& random) {
  const bool walks = !space.columns.empty();
  if (walks && random.chance(45)) return random_walk(space, random);
  if (space.digits.size() >= 2 && random.chance(45)) return random_digits(space, random);
  if (!space.deals.empty() && random.chance(60)) return random_deal(space, random);
  if (random.chance(50)) return {StageKind::kReverse, {}};
  return {StageKind::kRotate,
          {1 + static_cast<int64_t>(random.below(static_cast<size_t>(std::max<int64_t>(1, space.n - 1))))}};
}

void vary_stage(Stage& stage, const PlanSpace& space, Random& random) {
  auto& p = stage.parameters;
  switch (stage.kind) {
    case StageKind::kDeal:
      p[0] = random.one_of(space.deals);
      return;
    case StageKind::kChunk:
      if (random.chance(80)) {
        p[1] = nudged(p[1], random);
      } else {
        p[0] = random.one_of(space.deals);
      }
      return;
    case StageKind::kRotate:
      p[0] = nudged(p[0], random);
      return;
    case StageKind::kReverse:
      return;
    case StageKind::kDigits: {
      DigitPlan plan = DigitPlan::of(stage);
      vary_digits(plan, random);
      stage = plan.stage();
      return;
    }
    default:
      break;
  }
  if (p.size() == 3 && random.chance(60)) {
    p[2] = nudged(p[2], random);
  } else if (random.chance(40)) {
    p[1] = 1 - p[1];
  } else {
    const Stage other = random_walk(space, random);
    const int64_t columns = random.chance(70) ? p[0] : other.parameters[0];
    stage = other;
    stage.parameters[0] = columns;
  }
}

std::optional<int64_t> number_in(const std::string& text) {
  int64_t value = 0;
  const size_t open = text.find('(');
  if (open == std::string::npos) return std::nullopt;
  const auto parsed = std::from_chars(text.data() + open + 1, text.data() + text.size(), value);
  return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

PlanSpace plan_space(const FamilyRequest& request) {
  PlanSpace space{.n = request.grid.size(), .deals = {}, .columns = {}, .digits = {}};
  if (request.num_xcds > 1) space.deals.push_back(request.num_xcds);
  for (const int64_t parts : {2, 4, 16}) {
    if (parts < space.n && parts != request.num_xcds) space.deals.push_back(parts);
  }
  const auto add_columns = [&](int64_t columns) {
    const bool known = std::find(space.columns.begin(), space.columns.end(), columns) != space.columns.end();
    if (columns > 1 && columns < space.n && space.n % columns == 0 && !known) space.columns.push_back(columns);
  };
  if (request.grid.axes() > 1) add_columns(request.grid.x);
  if (request.grid.axes() > 2) add_columns(request.grid.x * request.grid.y);
  add_columns(request.tile_columns);
  int64_t columns = 1;
  for (size_t d = request.digits.size(); d-- > 0;) add_columns(columns *= request.digits[d]);
  for (const int64_t digit : request.digits) {
    if (digit > 1) space.digits.push_back(digit);
  }
  if (space.digits.size() < 2) {
    space.digits.clear();
    const auto choices = divisors(space.n);
    if (!choices.empty()) space.digits = {space.n / choices.back(), choices.back()};
  }
  return space;
}

Plan random_plan(const PlanSpace& space, Random& random) {
  Plan plan;
  if (!space.deals.empty() && random.chance(65)) plan.push_back(random_deal(space, random));
  for (size_t stages = 1 + random.below(2); stages-- > 0;) plan.push_back(random_stage(space, random));
  return valid(plan, space.n) ? plan : Plan{{StageKind::kReverse, {}}};
}

Plan mutate(const Plan& plan, const PlanSpace& space, Random& random) {
  Plan result = plan;
  const size_t choice = result.empty() ? 9 : random.below(12);
  if (choice < 6) {
    vary_stage(result[random.below(result.size())], space, random);
  } else if (choice == 6 && result.size() > 1) {
    result.erase(result.begin() + static_cast<long>(random.below(result.size())));
  } else if (choice == 7) {
    std::swap(result[random.below(result.size())], result[random.below(result.size())]);
  } else if (choice == 8) {
    result[random.below(result.size())] = random_stage(space, random);
  } else if (result.size() < kMostStages) {
    result.insert(result.begin() + static_cast<long>(random.below(result.size() + 1)), random_stage(space, random));
  }
  return valid(result, space.n) ? result : plan;
}

Plan cross(const Plan& a, const Plan& b, Random& random) {
  const size_t head = random.below(a.size() + 1);
  const size_t tail = random.below(b.size() + 1);
  Plan result(a.begin(), a.begin() + static_cast<long>(head));
  result.insert(result.end(), b.end() - static_cast<long>(tail), b.end());
  if (result.size() > kMostStages) result.resize(kMostStages);
  return result;
}

std::optional<Plan> plan_of_family(const std::string& name, const PlanSpace& space) {
  Plan plan;
  int64_t along_columns = 0;
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    const auto number = number_in(part);
    const bool walk = !space.columns.empty();
    if (part == "columns") {
      along_columns = 1;
    } else if (part == "xcd_balanced" && !space.deals.empty()) {
      plan.push_back({StageKind::kDeal, {space.deals.front()}});
    } else if (part.starts_with("xcd_chunked(") && number && !space.deals.empty()) {
      plan.push_back({StageKind::kChunk, {space.deals.front(), *number}});
    } else if (part == "reversed") {
      plan.push_back({StageKind::kReverse, {}});
    } else if (walk && (part == "rows" || part == "snake" || part == "hilbert" || part == "morton")) {
      plan.push_back(parse_plan(part + "(0,0)")->front());
      plan.back().parameters = {space.columns.front(), along_columns};
    } else if (walk && (part.starts_with("grouped(") || part.starts_with("grouped_snake(")) && number) {
      const bool snake = part.starts_with("grouped_snake(");
      plan.push_back(
          {snake ? StageKind::kGroupedSnake : StageKind::kGrouped, {space.columns.front(), along_columns, *number}});
    } else {
      return std::nullopt;
    }
  }
  return valid(plan, space.n) ? std::optional(plan) : std::nullopt;
}

}  // namespace swizzleperf

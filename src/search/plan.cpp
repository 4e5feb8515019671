#include "search/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace swizzleperf {
namespace {

constexpr size_t kMostDigits = 6;
constexpr int64_t kMostDeal = 1024;

struct KindName {
  const char* name;
  StageKind kind;
};
constexpr std::array<KindName, 11> kNames = {{{"deal", StageKind::kDeal},
                                              {"chunk", StageKind::kChunk},
                                              {"reverse", StageKind::kReverse},
                                              {"rotate", StageKind::kRotate},
                                              {"rows", StageKind::kRows},
                                              {"snake", StageKind::kSnake},
                                              {"grouped", StageKind::kGrouped},
                                              {"grouped_snake", StageKind::kGroupedSnake},
                                              {"hilbert", StageKind::kHilbert},
                                              {"morton", StageKind::kMorton},
                                              {"digits", StageKind::kDigits}}};

bool is_permutation(std::vector<int64_t> order) {
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool valid_digits(const std::vector<int64_t>& p, int64_t n) {
  if (p.empty() || p[0] < 2 || p[0] > static_cast<int64_t>(kMostDigits)) return false;
  const auto k = static_cast<size_t>(p[0]);
  if (p.size() != 3 * k + 3) return false;
  const DigitPlan plan = DigitPlan::of({StageKind::kDigits, p});
  int64_t product = 1;
  for (const int64_t extent : plan.extents) {
    if (extent < 2 || extent > n / product) return false;
    product *= extent;
  }
  const auto is_digit = [&](int64_t d) { return d >= 0 && d < p[0]; };
  const bool no_skew = plan.skewed == -1 && plan.by == -1;
  const bool walks = std::all_of(plan.walks.begin(), plan.walks.end(), [](int64_t w) { return w >= 0 && w <= 3; });
  return product == n && is_permutation(plan.order) && walks &&
         (no_skew || (is_digit(plan.skewed) && is_digit(plan.by) && plan.skewed != plan.by));
}

bool valid_stage(const Stage& stage, int64_t n) {
  const auto& p = stage.parameters;
  const auto plane = [&](size_t size) {
    return p.size() == size && p[0] > 1 && p[0] < n && n % p[0] == 0 && (p[1] == 0 || p[1] == 1);
  };
  switch (stage.kind) {
    case StageKind::kDeal:
      return p.size() == 1 && p[0] >= 2 && p[0] <= kMostDeal;
    case StageKind::kChunk:
      return p.size() == 2 && p[0] >= 2 && p[0] <= kMostDeal && p[1] >= 2 && p[1] <= n;
    case StageKind::kReverse:
      return p.empty();
    case StageKind::kRotate:
      return p.size() == 1 && p[0] > 0 && p[0] < n;
    case StageKind::kGrouped:
    case StageKind::kGroupedSnake:
      return plane(3) && p[2] >= 2 && p[2] <= n;
    case StageKind::kDigits:
      return valid_digits(p, n);
    default:
      return plane(2);
  }
}

// From the step t of a walk over a plane to its tile: s is the coordinate that moves slowly.
std::string walk_text(const Stage& stage, int64_t n) {
  const int64_t columns = stage.parameters[0];
  const bool along_rows = stage.parameters[1] == 0;
  const int64_t fast = along_rows ? columns : n / columns;
  const int64_t slow = along_rows ? n / columns : columns;
  std::string body;
  if (stage.kind == StageKind::kRows) {
    body = fmt::format("s = t / {0}; f = t % {0}", fast);
  } else if (stage.kind == StageKind::kSnake) {
    body = fmt::format("s = t / {0}; f = s % 2 == 0 ? t % {0} : {1} - t % {0}", fast, fast - 1);
  } else if (stage.kind == StageKind::kHilbert || stage.kind == StageKind::kMorton) {
    body = fmt::format("f = {0}_x(t, {1}, {2}); s = {0}_y(t, {1}, {2})",
                       stage.kind == StageKind::kHilbert ? "hilbert" : "morton", slow, fast);
  } else {
    const int64_t w = stage.parameters[2];
    const bool snake = stage.kind == StageKind::kGroupedSnake;
    body =
        fmt::format("k = t / {0}; g = k * {1}; h = min({2} - g, {1}); m = t % {0}; s = g + m % h; f = {3}", w * fast, w,
                    slow, snake ? fmt::format("k % 2 == 0 ? m / h : {} - m / h", fast - 1) : std::string("m / h"));
  }
  return body + (along_rows ? fmt::format("; t = s * {} + f", columns) : fmt::format("; t = f * {} + s", columns));
}

std::string walked(const DigitPlan& plan, size_t d) {
  const int64_t last = plan.extents[d] - 1;
  switch (static_cast<DigitWalk>(plan.walks[d])) {
    case DigitWalk::kReversed:
      return fmt::format("{} - d{}", last, d);
    case DigitWalk::kFolded:
      return fmt::format("d{0} % 2 == 0 ? d{0} / 2 : {1} - d{0} / 2", d, last);
    case DigitWalk::kSnake: {
      const auto at = std::find(plan.order.begin(), plan.order.end(), static_cast<int64_t>(d));
      if (at == plan.order.begin()) break;  // the slowest: there is no slower one
      return fmt::format("d{2} % 2 == 0 ? d{0} : {1} - d{0}", d, last, *(at - 1));
    }
    case DigitWalk::kPlain:
      break;
  }
  return fmt::format("d{}", d);
}

std::string digits_text(const DigitPlan& plan) {
  std::string body;
  for (size_t k = plan.order.size(); k-- > 1;) {
    const auto digit = static_cast<size_t>(plan.order[k]);
    body += fmt::format("d{0} = t % {1}; t = t / {1}; ", digit, plan.extents[digit]);
  }
  body += fmt::format("d{} = t; ", plan.order.front());
  std::string sum;
  for (size_t d = 0; d < plan.extents.size(); ++d) {
    body += fmt::format("v{} = {}; ", d, walked(plan, d));
    sum = d == 0 ? "v0" : fmt::format("({}) * {} + v{}", sum, plan.extents[d], d);
  }
  if (plan.skewed >= 0)
    body += fmt::format("v{0} = (v{0} + v{1}) % {2}; ", plan.skewed, plan.by,
                        plan.extents[static_cast<size_t>(plan.skewed)]);
  return body + "t = " + sum;
}

std::string stage_text(const Stage& stage, int64_t n) {
  const auto& p = stage.parameters;
  switch (stage.kind) {
    case StageKind::kDeal:
      return fmt::format("x = t % {0}; t = x * {1} + min(x, {2}) + t / {0}", p[0], n / p[0], n % p[0]);
    case StageKind::kChunk: {
      const int64_t round = p[0] * p[1];
      const int64_t whole = n / round * round;  // the ids after the last whole round are dealt evenly
      return fmt::format(
          "x = t % {0}; l = t / {0}; v = t - {2}; t = t < {2} ? l / {1} * {3} + x * {1} + l % {1} : {2} + v % {0} * "
          "{4} "
          "+ min(v % {0}, {5}) + v / {0}",
          p[0], p[1], whole, round, (n - whole) / p[0], (n - whole) % p[0]);
    }
    case StageKind::kReverse:
      return fmt::format("t = {} - t", n - 1);
    case StageKind::kRotate:
      return fmt::format("t = (t + {}) % {}", p[0], n);
    case StageKind::kDigits:
      return digits_text(DigitPlan::of(stage));
    default:
      return walk_text(stage, n);
  }
}

std::optional<Stage> parse_stage(const std::string& text) {
  const size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return std::nullopt;
  const std::string name = text.substr(0, open);
  const auto* known = std::find_if(kNames.begin(), kNames.end(), [&](const KindName& one) { return name == one.name; });
  if (known == kNames.end()) return std::nullopt;
  Stage stage{known->kind, {}};
  const char* end = text.data() + text.size() - 1;
  for (const char* at = text.data() + open + 1; at < end;) {
    int64_t value = 0;
    const auto parsed = std::from_chars(at, end, value);
    if (parsed.ec != std::errc() || (parsed.ptr != end && *parsed.ptr != ',')) return std::nullopt;
    stage.parameters.push_back(value);
    at = parsed.ptr + 1;
  }
  return stage;
}

}  // namespace

DigitPlan DigitPlan::of(const Stage& stage) {
  const auto& p = stage.parameters;
  const auto k = static_cast<long>(p[0]);
  const auto part = [&](long i) { return std::vector<int64_t>(p.begin() + 1 + i * k, p.begin() + 1 + (i + 1) * k); };
  return {part(0), part(1), part(2), p[p.size() - 2], p[p.size() - 1]};
}

Stage DigitPlan::stage() const {
  Stage result{StageKind::kDigits, {static_cast<int64_t>(extents.size())}};
  for (const auto* part : {&extents, &order, &walks})
    result.parameters.insert(result.parameters.end(), part->begin(), part->end());
  result.parameters.push_back(skewed);
  result.parameters.push_back(by);
  return result;
}

bool valid(const Plan& plan, int64_t n) {
  return std::all_of(plan.begin(), plan.end(), [&](const Stage& stage) { return valid_stage(stage, n); });
}

std::string name_of(const Plan& plan) {
  std::string name;
  for (const Stage& stage : plan) {
    const auto* known =
        std::find_if(kNames.begin(), kNames.end(), [&](const KindName& one) { return stage.kind == one.kind; });
    name += fmt::format("{}{}({})", name.empty() ? "" : ".", known->name, fmt::join(stage.parameters, ","));
  }
  return name;
}

std::optional<Plan> parse_plan(const std::string& name) {
  Plan plan;
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const auto stage = end == begin ? std::nullopt : parse_stage(name.substr(begin, end - begin));
    if (!stage) return std::nullopt;
    plan.push_back(*stage);
    begin = end + 1;
  }
  return plan;
}

std::string map_of(const Plan& plan, int64_t n) {
  std::string text = "t = wg";
  for (const Stage& stage : plan) text += "; " + stage_text(stage, n);
  return text + "; pid = t";
}

}  // namespace swizzleperf

#include "swizzle/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "swizzle/swizzle.h"

namespace swizzleperf {
namespace detail {
namespace {

enum Input { kWg, kWgX, kWgY, kWgZ, kGridX, kGridY, kGridZ, kNumWgs, kOutside };

Input input_of(const std::string& name) {
  static const std::map<std::string, Input> kNames = {{"wg", kWg},        {"wg_x", kWgX},      {"wg_y", kWgY},
                                                      {"wg_z", kWgZ},     {"grid_x", kGridX},  {"grid_y", kGridY},
                                                      {"grid_z", kGridZ}, {"num_wgs", kNumWgs}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? kOutside : found->second;
}

// Division of 0 <= a < 2^31 by a fixed 1 <= d < 2^31 as a multiplication: with s = ceil(log2 d) and
// m = ceil(2^(31+s) / d), floor(a / d) = (a * m) >> (31 + s) (Granlund and Montgomery, 1994, theorem 4.2 with N = 31).
struct Reciprocal {
  uint64_t multiplier = 0;
  int shift = 0;
  explicit Reciprocal(int64_t divisor) {
    int log = 0;
    while ((int64_t{1} << log) < divisor) ++log;
    shift = 31 + log;
    const auto d = static_cast<unsigned __int128>(divisor);
    multiplier = static_cast<uint64_t>(((static_cast<unsigned __int128>(1) << shift) + d - 1) / d);
  }
  int64_t divide(int64_t a) const { return static_cast<int64_t>((static_cast<uint64_t>(a) * multiplier) >> shift); }
};

RegisterRange scan(const std::vector<int64_t>& values, int64_t count) {
  RegisterRange range;
  for (int64_t i = 0; i < count; ++i) {
    range.low = std::min(range.low, values[static_cast<size_t>(i)]);
    range.high = std::max(range.high, values[static_cast<size_t>(i)]);
  }
  return range;
}

// True when the operation cannot leave 64 bits for any operands in the ranges.
bool cannot_overflow(Op op, const RegisterRange& a, const RegisterRange& b) {
  using Wide = __int128;
  const auto fits = [](Wide low, Wide high) { return low >= INT64_MIN && high <= INT64_MAX; };
  switch (op) {
    case Op::kAdd:
      return fits(Wide{a.low} + b.low, Wide{a.high} + b.high);
    case Op::kSub:
      return fits(Wide{a.low} - b.high, Wide{a.high} - b.low);
    case Op::kMul: {
      const std::array<Wide, 4> corners = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
                                           Wide{a.high} * b.high};
      return fits(*std::min_element(corners.begin(), corners.end()), *std::max_element(corners.begin(), corners.end()));
    }
    default:
      return false;
  }
}

const char* kOverflow = "overflow of 64 bits";
const char* kDivisionByZero = "division by zero";

// One lane of an operation that may fault; `what` says how.
int64_t compute_checked(Op op, int64_t a, int64_t b, int64_t c, const char*& what) {
  int64_t result = 0;
  switch (op) {
    case Op::kAdd:
      if (__builtin_add_overflow(a, b, &result)) what = kOverflow;
      return result;
    case Op::kSub:
      if (__builtin_sub_overflow(a, b, &result)) what = kOverflow;
      return result;
    case Op::kMul:
      if (__builtin_mul_overflow(a, b, &result)) what = kOverflow;
      return result;
    case Op::kNeg:
      if (__builtin_sub_overflow(int64_t{0}, a, &result)) what = kOverflow;
      return result;
    case Op::kAbs:
      if (a == INT64_MIN) what = kOverflow;
      return what != nullptr ? 0 : std::abs(a);
    case Op::kDiv:
    case Op::kMod:
    case Op::kCeilDiv:
      if (b == 0) what = kDivisionByZero;
      if (a == INT64_MIN && b == -1) what = kOverflow;
      if (what != nullptr) return 0;
      if (op == Op::kMod) return a % b;
      return a / b + (op == Op::kCeilDiv && a % b != 0 && (a % b > 0) == (b > 0) ? 1 : 0);
    case Op::kShl:
      if (b < 0 || b > 63) what = "shift by less than 0 or more than 63";
      if (what == nullptr && ((a << b) >> b) != a) what = kOverflow;
      return what != nullptr ? 0 : a << b;
    case Op::kShr:
      if (b < 0 || b > 63) what = "shift by less than 0 or more than 63";
      return what != nullptr ? 0 : a >> b;
    case Op::kHilbertX:
    case Op::kHilbertY:
    case Op::kMortonX:
    case Op::kMortonY: {
      constexpr int64_t kSide = int64_t{1} << 31;
      if (b < 1 || c < 1 || b >= kSide || c >= kSide || a < 0 || a >= b * c) {
        what = "curve step outside its rows x columns";
        return 0;
      }
      const Cell cell = op == Op::kHilbertX || op == Op::kHilbertY ? hilbert_cell(a, b, c) : morton_cell(a, b, c);
      return op == Op::kHilbertX || op == Op::kMortonX ? cell.column : cell.row;
    }
    default:
      return 0;
  }
}

std::string known_names(const Sizes& sizes) {
  std::string text = "known: wg wg_x wg_y wg_z grid_x grid_y grid_z num_wgs";
  for (const auto& [name, value] : sizes) text += " " + name;
  return text;
}

}  // namespace

Expected<Evaluator> Evaluator::create(const Program& program, const Grid& grid, const Sizes& sizes) {
  Evaluator evaluator(program, grid);
  const size_t count = program.operations.size();
  evaluator.outside_.assign(program.inputs.size(), 0);
  evaluator.uniform_.assign(count, false);
  evaluator.bounds_.resize(count);
  evaluator.registers_.assign(count, std::vector<int64_t>(static_cast<size_t>(kBlock)));
  for (size_t i = 0; i < count; ++i) {
    const Operation& operation = program.operations[i];
    if (operation.op == Op::kInput) {
      const std::string& name = program.inputs[static_cast<size_t>(operation.input)];
      const Input input = input_of(name);
      evaluator.uniform_[i] = input >= kGridX;
      if (input != kOutside) continue;
      const auto size = sizes.find(name);
      if (size == sizes.end()) {
        return user_error(fmt::format("unknown name '{}'", name), {program.file_name, operation.line, operation.column},
                          known_names(sizes));
      }
      evaluator.outside_[static_cast<size_t>(operation.input)] = size->second;
      continue;
    }
    bool uniform = true;
    for (const int operand : {operation.a, operation.b, operation.c, operation.mask}) {
      if (operand != kNoRegister) uniform = uniform && evaluator.uniform_[static_cast<size_t>(operand)];
    }
    evaluator.uniform_[i] = uniform;
  }
  return evaluator;
}

bool Evaluator::active(const Operation& operation, int64_t lane) const {
  return operation.mask == kNoRegister ||
         registers_[static_cast<size_t>(operation.mask)][static_cast<size_t>(lane)] != 0;
}

tl::unexpected<Error> Evaluator::fault(size_t index, int64_t id, const char* what) const {
  const Operation& operation = program_->operations[index];
  return user_error(fmt::format("{} for workgroup {}", what, id),
                    {program_->file_name, operation.line, operation.column});
}

Expected<void> Evaluator::run(int64_t first, int64_t count) {
  for (size_t i = 0; i < program_->operations.size(); ++i) {
    if (uniform_[i] && uniforms_done_) continue;
    // A uniform register holds its value in all lanes, so that later blocks of any length find it.
    if (auto status = execute(i, first, uniform_[i] ? kBlock : count); !status) return status;
  }
  uniforms_done_ = true;
  return {};
}

void Evaluator::load_input(size_t index, int64_t first, int64_t count) {
  const Operation& operation = program_->operations[index];
  auto& out = registers_[index];
  const auto fill = [&](int64_t value) { std::fill(out.begin(), out.end(), value); };
  switch (input_of(program_->inputs[static_cast<size_t>(operation.input)])) {
    case kWg:
      for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(i)] = first + i;
      break;
    case kWgX:
    case kWgY:
    case kWgZ: {
      const Input axis = input_of(program_->inputs[static_cast<size_t>(operation.input)]);
      Coordinate at = coordinate(grid_, first);
      for (int64_t i = 0; i < count; ++i) {
        out[static_cast<size_t>(i)] = axis == kWgX ? at.x : axis == kWgY ? at.y : at.z;
        if (++at.x < grid_.x) continue;
        at.x = 0;
        if (++at.y < grid_.y) continue;
        at.y = 0;
        ++at.z;
      }
      break;
    }
    case kGridX:
      return fill(grid_.x);
    case kGridY:
      return fill(grid_.y);
    case kGridZ:
      return fill(grid_.z);
    case kNumWgs:
      return fill(grid_.size());
    case kOutside:
      return fill(outside_[static_cast<size_t>(operation.input)]);
  }
}

template <class Compute>
Expected<void> Evaluator::checked(size_t index, int64_t first, int64_t count, Compute compute) {
  const Operation& operation = program_->operations[index];
  for (int64_t i = 0; i < count; ++i) {
    const char* what = nullptr;
    int64_t result = compute(static_cast<size_t>(i), what);
    if (what != nullptr) {
      if (active(operation, i)) return fault(index, first + (uniform_[index] ? 0 : i), what);
      result = 0;
    }
    registers_[index][static_cast<size_t>(i)] = result;
  }
  return {};
}

template <class Compute>
void Evaluator::unchecked(size_t index, int64_t count, Compute compute) {
  int64_t* out = registers_[index].data();
  for (int64_t i = 0; i < count; ++i) out[i] = compute(i);
}

// / and % by a divisor that is the same for all ids, both small: multiplications instead of divisions.
Expected<void> Evaluator::divide(size_t index, int64_t first, int64_t count) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  const Operation& operation = program_->operations[index];
  const int64_t* a = values(operation.a);
  const int64_t* b = values(operation.b);
  const RegisterRange& dividend = bounds_[static_cast<size_t>(operation.a)];
  const bool small = dividend.low >= 0 && dividend.high < kLimit && b[0] >= 1 && b[0] < kLimit;
  if (!uniform_[static_cast<size_t>(operation.b)] || !small) {
    return checked(index, first, count,
                   [&](size_t i, const char*& what) { return compute_checked(operation.op, a[i], b[i], 0, what); });
  }
  const int64_t divisor = b[0];
  const Reciprocal reciprocal(divisor);
  if (operation.op == Op::kDiv) {
    unchecked(index, count, [=](int64_t i) { return reciprocal.divide(a[i]); });
  } else {
    unchecked(index, count, [=](int64_t i) { return a[i] - reciprocal.divide(a[i]) * divisor; });
  }
  return {};
}

Expected<void> Evaluator::execute(size_t index, int64_t first, int64_t count) {
  const Operation& operation = program_->operations[index];
  const int64_t* a = operation.a == kNoRegister ? nullptr : values(operation.a);
  const int64_t* b = operation.b == kNoRegister ? nullptr : values(operation.b);
  const int64_t* c = operation.c == kNoRegister ? nullptr : values(operation.c);
  Expected<void> status;
  switch (operation.op) {
    case Op::kConstant:
      std::fill(registers_[index].begin(), registers_[index].end(), operation.constant);
      break;
    case Op::kInput:
      load_input(index, first, count);
      break;
    case Op::kNot:
      unchecked(index, count, [=](int64_t i) -> int64_t { return a[i] == 0; });
      break;
    case Op::kBitNot:
      unchecked(index, count, [=](int64_t i) { return ~a[i]; });
      break;
    case Op::kAnd:
      unchecked(index, count, [=](int64_t i) { return a[i] & b[i]; });
      break;
    case Op::kOr:
      unchecked(index, count, [=](int64_t i) { return a[i] | b[i]; });
      break;
    case Op::kXor:
      unchecked(index, count, [=](int64_t i) { return a[i] ^ b[i]; });
      break;
    case Op::kLt:
      unchecked(index, count, [=](int64_t i) -> int64_t { return a[i] < b[i]; });
      break;
    case Op::kLe:
      unchecked(index, count, [=](int64_t i) -> int64_t { return a[i] <= b[i]; });
      break;
    case Op::kGt:
      unchecked(index, count, [=](int64_t i) -> int64_t { return a[i] > b[i]; });
      break;
    case Op::kGe:
      unchecked(index, count, [=](int64_t i) -> int64_t { return a[i] >= b[i]; });
      break;
    case Op::kEq:
      unchecked(index, count, [=](int64_t i) -> int64_t { return a[i] == b[i]; });
      break;
    case Op::kNe:
      unchecked(index, count, [=](int64_t i) -> int64_t { return a[i] != b[i]; });
      break;
    case Op::kSelect:
      unchecked(index, count, [=](int64_t i) { return a[i] != 0 ? b[i] : c[i]; });
      break;
    case Op::kMin:
      unchecked(index, count, [=](int64_t i) { return std::min(a[i], b[i]); });
      break;
    case Op::kMax:
      unchecked(index, count, [=](int64_t i) { return std::max(a[i], b[i]); });
      break;
    case Op::kDiv:
    case Op::kMod:
      status = divide(index, first, count);
      break;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
      if (cannot_overflow(operation.op, bounds_[static_cast<size_t>(operation.a)],
                          bounds_[static_cast<size_t>(operation.b)])) {
        if (operation.op == Op::kAdd) unchecked(index, count, [=](int64_t i) { return a[i] + b[i]; });
        if (operation.op == Op::kSub) unchecked(index, count, [=](int64_t i) { return a[i] - b[i]; });
        if (operation.op == Op::kMul) unchecked(index, count, [=](int64_t i) { return a[i] * b[i]; });
        break;
      }
      [[fallthrough]];
    default:
      status = checked(index, first, count, [&](size_t i, const char*& what) {
        return compute_checked(operation.op, a[i], b == nullptr ? 0 : b[i], c == nullptr ? 0 : c[i], what);
      });
  }
  bounds_[index] = scan(registers_[index], count);
  return status;
}

void Evaluator::accumulate(std::vector<RegisterRange>& ranges, int64_t count) const {
  for (size_t r = 0; r < ranges.size(); ++r) {
    const Operation& operation = program_->operations[r];
    for (int64_t i = 0; i < count; ++i) {
      if (!active(operation, i)) continue;
      ranges[r].low = std::min(ranges[r].low, registers_[r][static_cast<size_t>(i)]);
      ranges[r].high = std::max(ranges[r].high, registers_[r][static_cast<size_t>(i)]);
    }
  }
}

}  // namespace detail

namespace {

// The tile of each lane, or -1, from the results of a block; each axis is judged by itself.
void store_tiles(const detail::Evaluator& evaluator, const detail::Program& program, const Grid& grid, int64_t count,
                 int32_t* out) {
  if (program.linear_result) {
    const int64_t* pid = evaluator.values(program.results[0]);
    const int64_t size = grid.size();
    for (int64_t i = 0; i < count; ++i) out[i] = pid[i] >= 0 && pid[i] < size ? static_cast<int32_t>(pid[i]) : -1;
    return;
  }
  const int64_t* x = evaluator.values(program.results[0]);
  const int64_t* y = program.result_axes > 1 ? evaluator.values(program.results[1]) : nullptr;
  const int64_t* z = program.result_axes > 2 ? evaluator.values(program.results[2]) : nullptr;
  for (int64_t i = 0; i < count; ++i) {
    const Coordinate at{x[i], y == nullptr ? 0 : y[i], z == nullptr ? 0 : z[i]};
    const bool inside = at.x >= 0 && at.x < grid.x && at.y >= 0 && at.y < grid.y && at.z >= 0 && at.z < grid.z;
    out[i] = inside ? static_cast<int32_t>(linear(grid, at)) : -1;
  }
}

}  // namespace

Expected<std::vector<int32_t>> evaluate_map(const SwizzleExpr& expr, const Grid& grid, const Sizes& sizes) {
  const detail::Program& program = expr.program();
  if (!program.linear_result && program.result_axes < grid.axes()) {
    return user_error(fmt::format("the grid {} has {} axes, but the map assigns only {}", to_string(grid), grid.axes(),
                                  program.result_axes == 1 ? "pid_x" : "pid_x and pid_y"),
                      {program.file_name}, "assign every axis, or pid (the linear tile id)");
  }
  auto evaluator = detail::Evaluator::create(program, grid, sizes);
  if (!evaluator) return tl::unexpected(evaluator.error());
  const int64_t size = grid.size();
  std::vector<int32_t> tiles(static_cast<size_t>(size));
  for (int64_t first = 0; first < size; first += detail::Evaluator::kBlock) {
    const int64_t count = std::min(detail::Evaluator::kBlock, size - first);
    if (auto status = evaluator->run(first, count); !status) return tl::unexpected(status.error());
    store_tiles(*evaluator, program, grid, count, tiles.data() + first);
  }
  return tiles;
}

Expected<int64_t> evaluate_expression(std::string_view text, const Sizes& sizes, std::string_view file_name) {
  const auto program = detail::parse_expression_program(text, file_name);
  if (!program) return tl::unexpected(program.error());
  for (const detail::Operation& operation : program->operations) {
    if (operation.op != detail::Op::kInput) continue;
    const std::string& name = program->inputs[static_cast<size_t>(operation.input)];
    if (detail::input_of(name) != detail::kOutside) {
      return user_error(fmt::format("'{}' has no value here", name),
                        {std::string(file_name), operation.line, operation.column});
    }
  }
  auto evaluator = detail::Evaluator::create(*program, Grid{}, sizes);
  if (!evaluator) return tl::unexpected(evaluator.error());
  if (auto status = evaluator->run(0, 1); !status) {
    // There is only one evaluation here: the workgroup that the fault names means nothing to the reader.
    Error error = status.error();
    error.message = error.message.substr(0, error.message.find(" for workgroup"));
    return tl::unexpected(std::move(error));
  }
  return evaluator->values(program->results[0])[0];
}

}  // namespace swizzleperf

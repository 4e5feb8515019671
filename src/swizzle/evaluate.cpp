#include "swizzle/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "swizzle/arithmetic.h"

namespace swizzleperf {
namespace detail {
namespace {

RegisterRange scan(const std::vector<int64_t>& values, int64_t count) {
  RegisterRange range;
  for (int64_t i = 0; i < count; ++i) {
    range.low = std::min(range.low, values[static_cast<size_t>(i)]);
    range.high = std::max(range.high, values[static_cast<size_t>(i)]);
  }
  return range;
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
      evaluator.uniform_[i] = input >= Input::kGridX;
      if (input != Input::kOutside) continue;
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
    case Input::kWg:
      for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(i)] = first + i;
      break;
    case Input::kWgX:
    case Input::kWgY:
    case Input::kWgZ: {
      const Input axis = input_of(program_->inputs[static_cast<size_t>(operation.input)]);
      Coordinate at = coordinate(grid_, first);
      for (int64_t i = 0; i < count; ++i) {
        out[static_cast<size_t>(i)] = axis == Input::kWgX ? at.x : axis == Input::kWgY ? at.y : at.z;
        if (++at.x < grid_.x) continue;
        at.x = 0;
        if (++at.y < grid_.y) continue;
        at.y = 0;
        ++at.z;
      }
      break;
    }
    case Input::kGridX:
      return fill(grid_.x);
    case Input::kGridY:
      return fill(grid_.y);
    case Input::kGridZ:
      return fill(grid_.z);
    case Input::kNumWgs:
      return fill(grid_.size());
    case Input::kOutside:
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

// A curve over a rectangle that is the same for all ids and not much larger than the grid is walked once, and looked
// up.
Expected<void> Evaluator::curve(size_t index, int64_t first, int64_t count) {
  constexpr int64_t kLargestTable = int64_t{1} << 23;  // cells: 64 MiB
  const Operation& operation = program_->operations[index];
  const int64_t* t = values(operation.a);
  const int64_t* rows = values(operation.b);
  const int64_t* columns = values(operation.c);
  const bool hilbert = operation.op == Op::kHilbertX || operation.op == Op::kHilbertY;
  const bool vertical = operation.op == Op::kHilbertY || operation.op == Op::kMortonY;
  const int64_t largest = std::min(kLargestTable, 4 * grid_.size());
  const bool uniform = uniform_[static_cast<size_t>(operation.b)] && uniform_[static_cast<size_t>(operation.c)];
  if (!uniform || rows[0] < 1 || columns[0] < 1 || columns[0] > largest / rows[0]) {
    return checked(index, first, count, [&](size_t i, const char*& what) {
      return compute_checked(operation.op, t[i], rows[i], columns[i], what);
    });
  }
  auto& table = curves_[{hilbert ? 1 : 0, rows[0], columns[0]}];
  if (table.empty()) table = hilbert ? hilbert_cells(rows[0], columns[0]) : morton_cells(rows[0], columns[0]);
  const auto size = static_cast<int64_t>(table.size());
  return checked(index, first, count, [&](size_t i, const char*& what) -> int64_t {
    if (t[i] < 0 || t[i] >= size) {
      what = kCurveFault;
      return 0;
    }
    const SmallCell& cell = table[static_cast<size_t>(t[i])];
    return vertical ? cell.row : cell.column;
  });
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
    case Op::kHilbertX:
    case Op::kHilbertY:
    case Op::kMortonX:
    case Op::kMortonY:
      status = curve(index, first, count);
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
}  // namespace swizzleperf

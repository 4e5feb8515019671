// Loads, stores and atomics: where they go, and what loads that addresses depend on give.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/triton/evaluate.h"

namespace swizzleperf::triton {
namespace {

bool is_load(Code code) {
  return code == Code::kLoad || code == Code::kDescriptorLoad || code == Code::kDescriptorGather;
}

AccessKind kind_of(Code code) {
  if (is_load(code)) return AccessKind::kLoad;
  return code == Code::kAtomic || code == Code::kDescriptorReduce ? AccessKind::kAtomic : AccessKind::kStore;
}

const char* verb(AccessKind kind) {
  return kind == AccessKind::kStore ? "write" : kind == AccessKind::kAtomic ? "atomic update" : "read";
}

// The lowest and the highest address among the elements whose mask holds; nothing where there are none.
std::optional<Range> active_range(const Elements& e) {
  Range range{e.pointers->base, e.pointers->base};
  for (size_t a = 0; a < e.type->shape.size(); ++a) {
    const Axis& axis = e.pointers->axes[a];
    const Table mask = e.mask != nullptr ? e.mask->axes[a].table : nullptr;
    if (axis.none() && !mask) continue;
    int64_t low = INT64_MAX, high = INT64_MIN;
    const int64_t extent = e.type->shape[a];
    for (int64_t i = 0; i < extent; ++i) {
      // Without a mask the ends of an affine axis say all.
      if (!mask && !axis.table && i > 0) i = extent - 1;
      if (mask && (*mask)[static_cast<size_t>(i)] == 0) continue;
      low = std::min(low, axis.at(i));
      high = std::max(high, axis.at(i));
    }
    if (low > high) return std::nullopt;
    range.low += low;
    range.high += high;
  }
  return range;
}

// Scattered along a table, with no axis of neighbours: a gather.
bool scattered(const Elements& e) {
  bool table = false;
  for (size_t a = 0; a < e.type->shape.size(); ++a) {
    const Axis& axis = e.pointers->axes[a];
    if (e.type->shape[a] > 1 && !axis.table && axis.stride == e.bytes) return false;
    table = table || axis.table;
  }
  return table;
}

// Bytes from a block's start to an element `offset` strides of `bytes` on; nothing where no array is that long.
std::optional<int64_t> distance(int64_t offset, int64_t stride, int64_t bytes) {
  constexpr __int128 kFar = __int128{1} << 50;
  const __int128 product = static_cast<__int128>(offset) * stride;
  if (product > kFar || product < -kFar || stride > kFar || stride < -kFar || offset > kFar || offset < -kFar)
    return std::nullopt;
  return static_cast<int64_t>(product) * bytes;
}

// Where a block's elements lie inside the tensor, along one axis: all, or those of a table.
Axis inside(int64_t offset, int64_t extent, int64_t length) {
  std::vector<int64_t> holds(static_cast<size_t>(extent));
  bool all = true;
  for (int64_t i = 0; i < extent; ++i) {
    const bool in = offset + i >= 0 && offset + i < length;
    holds[static_cast<size_t>(i)] = in ? 1 : 0;
    all = all && in;
  }
  if (all) return {};
  return {0, std::make_shared<const std::vector<int64_t>>(std::move(holds))};
}

}  // namespace

bool Evaluator::out_of_bounds(const Node& node, AccessKind kind, int64_t address, int64_t bytes) {
  const Location at = memory_.locate(address);
  if (at.buffer < 0)
    return fail(node, Blame::kUser,
                fmt::format("out of bounds: a {} of {} bytes at no array's address", verb(kind), bytes));
  return fail(node, Blame::kUser,
              fmt::format("out of bounds: a {} of {} bytes at byte {} of '{}', which has {} bytes", verb(kind), bytes,
                          at.offset, memory_.name(at.buffer), memory_.bytes(at.buffer)));
}

bool Evaluator::touch_structured(const Node& node, AccessKind kind, const Elements& elements) {
  const auto range = active_range(elements);
  if (!range) return true;
  const Location first = memory_.locate(range->low);
  const Location last = memory_.locate(range->high);
  if (first.buffer < 0 || first.offset < 0) return out_of_bounds(node, kind, range->low, elements.bytes);
  if (last.buffer != first.buffer || last.offset + elements.bytes > memory_.bytes(first.buffer))
    return out_of_bounds(node, kind, range->high, elements.bytes);
  AccessEvent event{&node, kind, first.buffer, elements.bytes, &elements};
  event.base = elements.pointers->base - memory_.address(first.buffer);
  if (kind != AccessKind::kLoad && kind != AccessKind::kScalarLoad) written_[static_cast<size_t>(first.buffer)] = true;
  sink_.access(event);
  return true;
}

bool Evaluator::touch_spelled(const Node& node, AccessKind kind, const Elements& elements) {
  std::vector<int64_t> addresses = *spell_out(*elements.pointers, *elements.type);
  Table mask;
  if (elements.mask != nullptr) mask = spell_out(*elements.mask, *elements.type);
  std::set<int> buffers;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (mask && ((*mask)[i] & 1) == 0) {
      addresses[i] = -1;
      continue;
    }
    const Location at = memory_.locate(addresses[i]);
    if (at.buffer < 0 || at.offset < 0 || at.offset + elements.bytes > memory_.bytes(at.buffer))
      return out_of_bounds(node, kind, addresses[i], elements.bytes);
    buffers.insert(at.buffer);
  }
  for (const int buffer : buffers) {
    std::vector<int64_t> offsets = addresses;
    for (int64_t& address : offsets) {
      const Location at = memory_.locate(address);
      address = address >= 0 && at.buffer == buffer ? at.offset : -1;
    }
    AccessEvent event{&node, kind, buffer, elements.bytes};
    event.addresses = &offsets;
    if (kind != AccessKind::kLoad) written_[static_cast<size_t>(buffer)] = true;
    sink_.access(event);
  }
  return true;
}

bool Evaluator::touch(const Node& node, AccessKind kind, const Type& pointers, int64_t bytes, const Datum& at,
                      const Datum* mask) {
  if (mask != nullptr && mask->uniform()) {
    if ((mask->base & 1) == 0) return true;
    mask = nullptr;
  }
  const Elements elements{&pointers, bytes, &at, mask};
  const bool structured = at.form == Datum::Form::kSum && (mask == nullptr || mask->form == Datum::Form::kAll) &&
                          pointers.shape.size() <= kMaxAxes && !scattered(elements);
  return structured ? touch_structured(node, kind, elements) : touch_spelled(node, kind, elements);
}

// What a load gives that an address depends on: the buffers as they are before the launch.
bool Evaluator::load_values(const Node& node, const Type& pointers, const Datum& at, const Datum* mask) {
  const int result = node.results.front();
  const Type& to = type(result);
  const Table addresses = spell_out(at, pointers);
  const Table active = mask != nullptr ? spell_out(*mask, pointers) : nullptr;
  Table otherwise;
  if (node.code == Code::kLoad && node.operands.size() > 2) {
    if (!operand(node, 2).known()) return depends_on_unknown(node, "this load", operand(node, 2));
    otherwise = spell_out(operand(node, 2), to);
  }
  const int64_t bytes = to.element_bytes();
  std::vector<int64_t> values(addresses->size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (active && ((*active)[i] & 1) == 0) {
      values[i] = otherwise ? (*otherwise)[i] : 0;
      continue;
    }
    const Location from = memory_.locate((*addresses)[i]);
    if (written_[static_cast<size_t>(from.buffer)])
      return fail(node, Blame::kUnsupported,
                  fmt::format("an address or a branch depends on what this load reads back from '{}', which the kernel "
                              "writes",
                              memory_.name(from.buffer)));
    const auto bits = memory_.read(from.buffer, from.offset, bytes);
    if (!bits) {
      if (!error_) error_ = bits.error();
      return false;
    }
    values[i] = from_memory(*bits, to);
  }
  if (!to.tensor) {
    set(result, Datum::of(values.front()));
  } else if (to.shape.size() == 1 && to.element != Type::Element::kFloat) {
    set(result, along_axis(std::move(values), 0, to.bits == 1));
  } else {
    set(result, Datum::spelled(std::move(values)));
  }
  return true;
}

bool Evaluator::plain_access(const Node& node, AccessKind kind) {
  const Type& pointers = operand_type(node, 0);
  const Datum& at = operand(node, 0);
  if (pointers.element != Type::Element::kPointer || !pointers.pointee)
    return fail(node, Blame::kUser, node.operation->name + " of what is no pointer");
  const size_t mask_operand = node.code == Code::kLoad ? 1 : 2;
  const bool compares = node.operation->name == "tt.atomic_cas";
  const bool masked = node.operands.size() > mask_operand && !compares;
  const Datum* const mask = masked ? &operand(node, mask_operand) : nullptr;
  for (const Datum* datum : {&at, mask}) {
    if (datum != nullptr && !datum->known())
      return depends_on_unknown(node, datum == mask ? "this mask" : "this address", *datum);
  }
  const auto site = static_cast<size_t>(node.site);
  // As for a traced kernel: a uniform load that comes round again is one that GPUs serve through the scalar cache.
  if (kind == AccessKind::kLoad && !pointers.tensor && seen_[site]) kind = AccessKind::kScalarLoad;
  seen_[site] = true;
  if (!touch(node, kind, pointers, pointers.pointee->element_bytes(), at, mask)) return false;
  if (node.results.empty() || !relevant(node.results.front())) return true;
  if (node.code == Code::kAtomic) {
    set(node.results.front(), Datum::unknown("the old value that " + describe(node) + " returns"));
    return true;
  }
  return load_values(node, pointers, at, mask != nullptr && mask->uniform() && (mask->base & 1) != 0 ? nullptr : mask);
}

// A block pointer or a tensor descriptor.
bool Evaluator::block_access(const Node& node, AccessKind kind) {
  const Type& from = operand_type(node, 0);
  const Datum& block = operand(node, 0);
  if (!block.known()) return depends_on_unknown(node, "this address", block);
  const std::vector<int64_t> extents = from.pointee ? from.pointee->shape : std::vector<int64_t>();
  const size_t rank = extents.size();
  const bool pointer = from.element == Type::Element::kPointer;
  const bool fits = block.form == Datum::Form::kDense && rank > 0 && rank <= kMaxAxes &&
                    block.dense->size() == 1 + (pointer ? 3 : 2) * rank && (pointer || node.operands.size() > rank);
  if (!fits) return fail(node, Blame::kUnsupported, node.operation->name + " in this form is not understood");
  const std::vector<int64_t>& parts = *block.dense;
  const int64_t bytes = from.pointee->element_bytes();
  Type pointers = *from.pointee;
  Datum at = Datum::of(parts[0]);
  Datum mask;
  mask.form = Datum::Form::kAll;
  const Attribute* checked = node.operation->attribute("boundaryCheck");
  for (size_t a = 0; a < rank; ++a) {
    if (!pointer && !operand(node, 1 + a).known())
      return depends_on_unknown(node, "this address", operand(node, 1 + a));
    const int64_t offset = pointer ? parts[1 + 2 * rank + a] : operand(node, 1 + a).base;
    const auto begin = distance(offset, parts[1 + rank + a], bytes);
    if (!begin) return fail(node, Blame::kUser, "a block beyond every array");
    const int64_t stride = parts[1 + rank + a] * bytes;
    at.base += *begin;
    at.axes[a].stride = extents[a] > 1 ? stride : 0;
    const bool check = !pointer || (checked != nullptr && std::count(checked->integers.begin(), checked->integers.end(),
                                                                     static_cast<int64_t>(a)) > 0);
    if (check) mask.axes[a] = inside(offset, extents[a], parts[1 + a]);
  }
  const bool masked = axes_used(mask) != 0;
  if (!touch(node, kind, pointers, bytes, at, masked ? &mask : nullptr)) return false;
  if (node.results.empty() || !relevant(node.results.front())) return true;
  if (type(node.results.front()).elements() != pointers.elements())
    return fail(node, Blame::kUnsupported, "an address depends on a block of another shape");
  return load_values(node, pointers, at, masked ? &mask : nullptr);
}

// Rows of a descriptor by a tensor of row numbers.
bool Evaluator::rows_access(const Node& node, AccessKind kind) {
  const Datum& block = operand(node, 0);
  const Type& from = operand_type(node, 0);
  if (node.operands.size() < 3 || block.form != Datum::Form::kDense || block.dense->size() != 5 || !from.pointee ||
      from.pointee->shape.size() != 2)
    return fail(node, Blame::kUnsupported, node.operation->name + " in this form is not understood");
  for (const size_t i : {1U, 2U}) {
    if (!operand(node, i).known()) return depends_on_unknown(node, "this address", operand(node, i));
  }
  const std::vector<int64_t>& parts = *block.dense;
  const Table rows = spell_out(operand(node, 1), operand_type(node, 1));
  const int64_t column = operand(node, 2).base;
  const int64_t bytes = from.pointee->element_bytes();
  const int64_t width = from.pointee->shape[1];
  const auto first = distance(column, parts[4], bytes);
  if (!first) return fail(node, Blame::kUser, "columns beyond every array");
  Type pointers = *from.pointee;
  pointers.shape = {static_cast<int64_t>(rows->size()), width};
  Datum at = Datum::of(parts[0] + *first), mask;
  mask.form = Datum::Form::kAll;
  std::vector<int64_t> offsets, holds;
  for (const int64_t row : *rows) {
    const auto start = distance(row, parts[3], bytes);
    if (!start) return fail(node, Blame::kUser, "rows beyond every array");
    offsets.push_back(*start);
    holds.push_back(row >= 0 && row < parts[1] ? 1 : 0);
  }
  at.axes[0].table = std::make_shared<const std::vector<int64_t>>(std::move(offsets));
  at.axes[1].stride = parts[4] * bytes;
  mask.axes[0].table = std::make_shared<const std::vector<int64_t>>(std::move(holds));
  mask.axes[1] = inside(column, width, parts[2]);
  if (!touch(node, kind, pointers, bytes, at, &mask)) return false;
  if (!node.results.empty()) set(node.results.front(), Datum::unknown("the result of " + describe(node)));
  return true;
}

bool Evaluator::access(const Node& node) {
  const AccessKind kind = kind_of(node.code);
  const bool load = is_load(node.code);
  if (!load || node.cut) sink_.end_phase();
  if (sink_.enough()) {
    stopped_ = true;
    return false;
  }
  const bool rows = node.code == Code::kDescriptorGather || node.code == Code::kDescriptorScatter;
  const bool block = !node.operands.empty() && (operand_type(node, 0).block_pointer() ||
                                                operand_type(node, 0).element == Type::Element::kDescriptor);
  const bool done = rows ? rows_access(node, kind) : block ? block_access(node, kind) : plain_access(node, kind);
  if (done && !load) sink_.end_phase();
  return done;
}

}  // namespace swizzleperf::triton

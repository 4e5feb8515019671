#include "frontend/clike/host/order.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "frontend/clike/host/failure.h"

namespace swizzleperf::host {

void OrderWatch::Unmap::operator()(Cell* cells) const {
  munmap(cells, bytes);
}

OrderWatch::OrderWatch(const std::vector<int64_t>& buffer_bytes) {
  for (const int64_t bytes : buffer_bytes) {
    Range range;
    range.bytes = bytes;
    const size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1)) * sizeof(Cell);
    void* cells = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED)
      fail("user", fmt::format("watching an array of {} bytes for order dependence needs more memory than is allowed: "
                               "run a smaller variant",
                               bytes));
    range.cells = {static_cast<Cell*>(cells), Unmap{size}};
    ranges_.push_back(std::move(range));
  }
}

void OrderWatch::record(int buffer, int64_t offset, int32_t other, int32_t wg, bool reads, uintptr_t site) {
  if (conflict_.found) return;
  conflict_ = {true, buffer, offset, other == kSeveral ? -1 : other - 1, wg, reads, site};
}

int32_t OrderWatch::touch(int buffer, int64_t offset, int64_t size, Touch kind, int32_t wg, uintptr_t site) {
  const int32_t self = wg + 1;
  const auto is_other = [&](int32_t who) { return who != kNobody && who != self; };
  const auto join = [&](int32_t& who) { who = who == kNobody || who == self ? self : kSeveral; };
  Cell* cells = ranges_[static_cast<size_t>(buffer)].cells.get();
  int32_t before = kNobody;
  for (int64_t i = offset; i < offset + size; ++i) {
    Cell& cell = cells[i];
    const bool commutes = kind >= Touch::kAdd && kind == cell.kind;
    const bool over_plain = kind == Touch::kWrite && cell.kind == Touch::kWrite && !cell.updated;
    if (over_plain && is_other(cell.writer)) before = cell.writer;
    if (is_other(cell.writer) && !commutes && !over_plain)
      record(buffer, i, cell.writer, wg, kind == Touch::kRead, site);
    if (kind == Touch::kRead) {
      join(cell.reader);
      continue;
    }
    if (is_other(cell.reader)) record(buffer, i, cell.reader, wg, false, site);
    cell.updated = cell.updated || kind >= Touch::kAdd;
    cell.kind = cell.writer == kNobody || cell.kind == kind ? kind : Touch::kWrite;
    join(cell.writer);
    if (cell.writes < UINT8_MAX) ++cell.writes;
  }
  return before;
}

uint64_t OrderWatch::hash_of_writes(int buffer) const {
  const Range& range = ranges_[static_cast<size_t>(buffer)];
  uint64_t hash = 14695981039346656037ULL;
  for (int64_t i = 0; i < range.bytes; ++i) hash = (hash ^ range.cells.get()[i].writes) * 1099511628211ULL;
  return hash;
}

int64_t OrderWatch::unwritten(int buffer) const {
  const Range& range = ranges_[static_cast<size_t>(buffer)];
  return std::count_if(range.cells.get(), range.cells.get() + range.bytes,
                       [](const Cell& cell) { return cell.writes == 0; });
}

}  // namespace swizzleperf::host

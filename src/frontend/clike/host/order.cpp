#include "frontend/clike/host/order.h"

namespace swizzleperf::host {

OrderWatch::OrderWatch(const std::vector<int64_t>& buffer_bytes) {
  for (const int64_t bytes : buffer_bytes) {
    writer_.emplace_back(static_cast<size_t>(bytes), kNobody);
    reader_.emplace_back(static_cast<size_t>(bytes), kNobody);
    writes_.emplace_back(static_cast<size_t>(bytes), uint8_t{0});
  }
}

void OrderWatch::record(int buffer, int64_t offset, int32_t other, int32_t wg, uintptr_t site) {
  if (conflict_.found) return;
  conflict_ = {true, buffer, offset, other < 0 ? -1 : other, wg, site};
}

void OrderWatch::touch(int buffer, int64_t offset, int size, Touch kind, int32_t wg, uintptr_t site) {
  const auto b = static_cast<size_t>(buffer);
  atomics_ = atomics_ || kind == Touch::kAtomic;
  for (int64_t i = offset; i < offset + size; ++i) {
    const auto at = static_cast<size_t>(i);
    int32_t& writer = writer_[b][at];
    int32_t& reader = reader_[b][at];
    const bool both_atomic = kind == Touch::kAtomic && writer == kAtomically;
    if (writer != kNobody && writer != wg && !both_atomic) record(buffer, i, writer, wg, site);
    if (kind == Touch::kRead) {
      reader = reader == kNobody || reader == wg ? wg : kSeveral;
      continue;
    }
    if (reader != kNobody && reader != wg) record(buffer, i, reader, wg, site);
    writer = kind == Touch::kAtomic ? kAtomically : wg;
    if (writes_[b][at] < UINT8_MAX) ++writes_[b][at];
  }
}

}  // namespace swizzleperf::host

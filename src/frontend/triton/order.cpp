// Order dependence of a Triton kernel: every program evaluated, every byte watched.
#include <fmt/format.h>

#include <map>

#include "frontend/triton/evaluate.h"
#include "frontend/triton/kernel.h"

namespace swizzleperf {
namespace {

using namespace triton;

constexpr int64_t kMaxWatchedBytes = int64_t{16} << 20;  // of all buffers: 16 bytes of memory each

// Atomics from kAdd on commute with themselves, as long as nobody looks at what they return.
enum class Touch : uint8_t { kRead, kWrite, kAdd, kMin, kMax, kAnd, kOr, kXor };

Touch touch_of(const AccessEvent& event) {
  if (event.kind == AccessKind::kLoad || event.kind == AccessKind::kScalarLoad) return Touch::kRead;
  if (event.kind == AccessKind::kStore) return Touch::kWrite;
  static const std::map<std::string, Touch> known = {
      {"add", Touch::kAdd},  {"fadd", Touch::kAdd}, {"min", Touch::kMin}, {"umin", Touch::kMin}, {"max", Touch::kMax},
      {"umax", Touch::kMax}, {"and", Touch::kAnd},  {"or", Touch::kOr},   {"xor", Touch::kXor}};
  for (const std::string& word : event.node->operation->words) {
    if (const auto found = known.find(word); found != known.end()) return found->second;
  }
  return Touch::kWrite;
}

class OrderSink : public AccessSink {
 public:
  OrderSink(const Memory& memory, const Module& module) : memory_(memory), module_(module) {
    for (size_t i = 0; i < memory.size(); ++i)
      cells_.emplace_back(static_cast<size_t>(memory.bytes(static_cast<int>(i))));
  }
  void begin(int64_t program) { program_ = static_cast<int32_t>(program); }

  void access(const AccessEvent& event) override {
    const Touch kind = touch_of(event);
    const bool looks = event.kind == AccessKind::kAtomic && event.node->result_used;
    if (kind == Touch::kAdd && event.node->operation->has_word("fadd")) order_.atomics = true;
    const auto both = [&](int64_t offset) {
      if (looks) touch(event, offset, Touch::kRead);
      touch(event, offset, kind);
    };
    if (event.addresses != nullptr) {
      for (const int64_t offset : *event.addresses) {
        if (offset >= 0) both(offset);
      }
      return;
    }
    const Elements& e = *event.elements;
    const Table at = spell_out(*e.pointers, *e.type);
    const Table mask = e.mask != nullptr ? spell_out(*e.mask, *e.type) : nullptr;
    for (size_t i = 0; i < at->size(); ++i) {
      if (!mask || (*mask)[i] != 0) both((*at)[i] - e.pointers->base + event.base);
    }
  }

  void wait(const Node& node) override {
    if (order_.dependent) return;
    order_.dependent = true;
    order_.detail = fmt::format("program {} waits for what another one writes, line {}", program_, line(node));
  }
  TritonOrder order_;

 private:
  struct Cell {
    int32_t writer = 0;  // program + 1; -1: several
    int32_t reader = 0;
    Touch kind = Touch::kRead;
  };
  std::string line(const Node& node) const {
    const std::string source = module_.source_line(*node.operation);
    return source.empty() ? fmt::format("{} of the IR", node.operation->line) : source;
  }

  void touch(const AccessEvent& event, int64_t offset, Touch kind) {
    const int32_t self = program_ + 1;
    const auto join = [&](int32_t& who) { who = who == 0 || who == self ? self : -1; };
    for (int64_t i = offset; i < offset + event.bytes; ++i) {
      Cell& cell = cells_[static_cast<size_t>(event.buffer)][static_cast<size_t>(i)];
      const bool commutes = kind >= Touch::kAdd && cell.kind == kind;
      if (cell.writer != 0 && cell.writer != self && !commutes) record(event, i, cell.writer, kind == Touch::kRead);
      if (kind == Touch::kRead) {
        join(cell.reader);
        continue;
      }
      if (cell.reader != 0 && cell.reader != self) record(event, i, cell.reader, false);
      cell.kind = cell.writer == 0 || cell.kind == kind ? kind : Touch::kWrite;
      join(cell.writer);
    }
  }
  void record(const AccessEvent& event, int64_t offset, int32_t other, bool reads) {
    if (order_.dependent) return;
    order_.dependent = true;
    order_.detail =
        fmt::format("byte {} of '{}': program {} {} what {} {}, line {}", offset, memory_.name(event.buffer), program_,
                    reads ? "reads" : "writes", other < 0 ? "others" : fmt::format("program {}", other - 1),
                    reads ? (other < 0 ? "write" : "writes") : (other < 0 ? "touch" : "touches"), line(*event.node));
  }

  const Memory& memory_;
  const Module& module_;
  std::vector<std::vector<Cell>> cells_;
  int32_t program_ = 0;
};

}  // namespace

Expected<TritonOrder> triton_order(const TritonKernel& kernel, const CaseInstance& instance) {
  int64_t bytes = 0;
  for (const Argument& argument : instance.arguments) {
    if (argument.buffer) bytes += argument.elements * size_of(argument.dtype);
  }
  if (bytes > kMaxWatchedBytes)
    return unsupported(fmt::format("the arrays of '{}' hold {} bytes: too many to watch each", instance.variant, bytes),
                       {}, "give the case a small variant named verify");
  const Memory memory(instance);
  OrderSink sink(memory, *kernel.program().module);
  Evaluator evaluator(kernel.program(), instance, memory, sink);
  for (int64_t program = 0; program < instance.grid.size(); ++program) {
    sink.begin(program);
    if (auto status = evaluator.run(program); !status) return tl::unexpected(status.error());
  }
  return sink.order_;
}

}  // namespace swizzleperf

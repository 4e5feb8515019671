// Evaluates one program of a kernel for the accesses it makes, in order. Private to src/frontend/triton.
#pragma once

#include "frontend/triton/memory.h"
#include "frontend/triton/program.h"
#include "frontend/triton/requests.h"

namespace swizzleperf::triton {

// One load, store or atomic of a program. `elements` or `addresses` says where; both name bytes of `buffer`.
struct AccessEvent {
  const Node* node = nullptr;
  AccessKind kind = AccessKind::kLoad;
  int buffer = 0;
  int64_t bytes = 1;                                // of an element
  const Elements* elements = nullptr;               // structured; the base is an address
  int64_t base = 0;                                 // offset of the elements' base in the buffer
  const std::vector<int64_t>* addresses = nullptr;  // offsets in the buffer, row-major; -1 where the mask is off
};

class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void access(const AccessEvent& event) = 0;
  virtual void end_phase() {}
  virtual void wait(const Node& /*node*/) {}     // the program waits for what another one writes
  virtual bool enough() const { return false; }  // asked at the end of each phase
};

class Evaluator {
 public:
  // All outlive the evaluator; one evaluator a thread.
  // A program takes at most `max_steps` operations; long tensors count for more than one.
  Evaluator(const Program& program, const CaseInstance& instance, const Memory& memory, AccessSink& sink,
            int64_t max_steps = 200'000'000);
  // Unsupported, with the line, where an access depends on what is not evaluated; user errors for accesses outside
  // their buffer, and for loops that do not end.
  Expected<void> run(int64_t tile);

 private:
  using Data = std::vector<Datum>;
  struct Flow {  // how a region ended
    const Node* terminator = nullptr;
  };

  Expected<void> bind_parameters();
  const Datum& value(int id) const { return values_[static_cast<size_t>(id)]; }
  const Type& type(int id) const { return program_.types[static_cast<size_t>(id)]; }
  bool relevant(int id) const { return program_.relevant[static_cast<size_t>(id)]; }
  const Datum& operand(const Node& node, size_t i) const { return value(node.operands[i]); }
  const Type& operand_type(const Node& node, size_t i) const { return type(node.operands[i]); }
  void set(int id, Datum datum) { values_[static_cast<size_t>(id)] = std::move(datum); }
  void assign(const std::vector<int>& to, const std::vector<int>& from, size_t skip_to = 0, size_t skip_from = 0);
  std::string describe(const Node& node) const;  // "tt.dot at line 12"
  bool fail(const Node& node, Blame blame, std::string message, std::string advice = {});
  bool depends_on_unknown(const Node& node, const char* what, const Datum& datum);

  bool run_region(const NodeRegion& region, Flow& flow);
  bool run_node(const Node& node);
  bool run_for(const Node& node);
  bool run_while(const Node& node);
  bool run_if(const Node& node);
  bool run_call(const Node& node);
  bool stuck(const Data& before, const std::vector<int>& arguments) const;

  Datum compute(const Node& node);  // operations of one result
  Datum constant(const Node& node) const;
  Datum arithmetic(const Node& node);
  Datum converted(const Node& node) const;
  Datum moved(const Node& node) const;
  Datum block_pointer(const Node& node) const;
  void reduce(const Node& node);
  void scan(const Node& node);
  bool combine(const Node& node, std::vector<int64_t>& left, const std::vector<int64_t>& right);

  bool access(const Node& node);
  bool plain_access(const Node& node, AccessKind kind);
  bool block_access(const Node& node, AccessKind kind);
  bool rows_access(const Node& node, AccessKind kind);
  bool touch(const Node& node, AccessKind kind, const Type& pointers, int64_t bytes, const Datum& at,
             const Datum* mask);
  bool touch_structured(const Node& node, AccessKind kind, const Elements& elements);
  bool touch_spelled(const Node& node, AccessKind kind, const Elements& elements);
  bool out_of_bounds(const Node& node, AccessKind kind, int64_t address, int64_t bytes);
  bool load_values(const Node& node, const Type& pointers, const Datum& at, const Datum* mask);

  const Program& program_;
  const CaseInstance& instance_;
  const Memory& memory_;
  AccessSink& sink_;
  Data values_;
  std::vector<bool> seen_;     // by site: has been there in this program
  std::vector<bool> written_;  // by buffer: stored to in this program
  int64_t tile_ = 0;
  Coordinate at_;
  int64_t max_steps_;
  int64_t steps_ = 0;
  bool stopped_ = false;
  bool bound_ = false;
  std::optional<Error> error_;
};

}  // namespace swizzleperf::triton
